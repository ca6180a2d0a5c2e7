"""A believable shop for development. `manage.py load_demo` loads it; docs/demo-data.md describes it."""
