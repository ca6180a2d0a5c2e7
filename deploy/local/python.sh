#!/bin/sh
# Prints the Python on PATH to make the virtualenv with: the newest one that the locked packages are made for.
# When there is none, says what there is. Each is run before it is believed: pyenv leaves shims that lead nowhere,
# and Debian keeps ensurepip, without which a virtualenv gets no pip, in a package of its own.
set -eu

# The newest first; requires-python of pyproject.toml says the same.
SUPPORTED='3.14 3.13 3.12 3.11'
OLDEST=${SUPPORTED##* }
NEWEST=${SUPPORTED%% *}

on_path() { # the programs whose names match the pattern, a line each
    IFS=:
    for directory in $PATH; do
        for program in "${directory:-.}"/$1; do
            if [ -f "$program" ] && [ -x "$program" ]; then echo "$program"; fi
        done
    done
}

version_of() { # nothing when it does not run
    "$1" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2> /dev/null < /dev/null || true
}

is_supported() {
    case " $SUPPORTED " in *" ${1%.*} "*) ;; *) return 1 ;; esac
}

makes_virtualenvs() {
    "$1" -c 'import ensurepip, venv' > /dev/null 2>&1 < /dev/null
}

first_suitable() { # of the programs on standard input
    while read -r program; do
        if is_supported "$(version_of "$program")" && makes_virtualenvs "$program"; then
            echo "$program"
            return
        fi
    done
}

describe() { # each program of standard input
    while read -r program; do
        version=$(version_of "$program")
        if [ -z "$version" ]; then
            echo "  $program does not run"
        elif is_supported "$version"; then
            echo "  $program is $version, without venv (on Debian and Ubuntu: apt install python${version%.*}-venv)"
        else
            echo "  $program is $version"
        fi
    done
}

for name in $(printf 'python%s ' $SUPPORTED) python3 python; do
    found=$(on_path "$name" | first_suitable)
    if [ -n "$found" ]; then
        echo "$found"
        exit
    fi
done

{
    echo "Python $OLDEST to $NEWEST is needed. On PATH there is:"
    found=$({ on_path 'python'; on_path 'python3'; on_path 'python3.[0-9]'; on_path 'python3.[0-9][0-9]'; } | describe)
    echo "${found:-  no Python at all}"
} >&2
exit 1
