"""A schema of Strawberry's with a field for every trap of compiling.

Fields named `bad…` always fall or fail, `rare…` are refused.
"""

import asyncio
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Generic, NewType, TypeVar

import strawberry
from strawberry.dataloader import DataLoader
from strawberry.extensions.field_extension import AsyncExtensionResolver, FieldExtension, SyncExtensionResolver
from strawberry.permission import BasePermission
from strawberry.schema.config import StrawberryConfig
from strawberry.types import Info

from gateway.graphql.execution.tests.trap_values import Colour, Values

T = TypeVar("T")
Shouted = NewType("Shouted", str)


@dataclass
class TrapContext:
    """What one request has done."""

    batches: list[list[int]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    results: Any = None

    def __post_init__(self) -> None:
        self.owners = DataLoader(load_fn=self._load)

    async def _load(self, keys: list[int]) -> list["Owner | None"]:
        self.batches.append(sorted(keys))
        return [Owner(number=key) if key < 8 else None for key in keys]


TrapInfo = Info[TrapContext, None]


class Loud(BasePermission):
    message = "too quiet"

    def has_permission(self, source: Any, info: TrapInfo, **_: Any) -> bool:
        info.context.calls.append("asked whether it is loud")
        return True


class Doubled(FieldExtension):
    def resolve(self, next_: SyncExtensionResolver, source: Any, info: TrapInfo, **kwargs: Any) -> Any:
        return next_(source, info, **kwargs) * 2

    async def resolve_async(self, next_: AsyncExtensionResolver, source: Any, info: TrapInfo, **kwargs: Any) -> Any:
        return (await next_(source, info, **kwargs)) * 2


@strawberry.input
class Point:
    x: int
    y: int = 2
    tags: list[str] | None = None
    colour: Colour = Colour.RED
    inner: "Point | None" = None
    maybe: str | None = strawberry.UNSET


@strawberry.input(one_of=True)
class Either:
    number: strawberry.Maybe[int]
    text: strawberry.Maybe[str]


@strawberry.interface
class Named:
    name: str

    @strawberry.field
    def loud_name(self) -> Shouted:
        return Shouted(self.name)


@strawberry.interface
class Animal(Named):
    age: int
    weight: float | None = 1.5


@strawberry.type
class Owner(Named):
    number: strawberry.Private[int]
    name: str = "owner"

    @strawberry.field
    def id(self) -> strawberry.ID:
        return strawberry.ID(str(self.number))

    @strawberry.field
    async def animals(self, info: TrapInfo, first: int = 2) -> list[Animal]:
        await asyncio.sleep(0)
        return [animal(self.number + each) for each in range(max(0, min(first, 3)))]

    @strawberry.field
    async def next_owner(self, info: TrapInfo) -> "Owner | None":
        return await info.context.owners.load(self.number + 1)


@strawberry.type
class Dog(Animal):
    colour: Colour | None = Colour.GREEN

    @strawberry.field
    def barks(self, times: int = 1, suffix: str | None = None) -> str:
        return "wuff" * max(0, min(times, 3)) + (suffix or "")

    @strawberry.field
    async def owner(self, info: TrapInfo) -> Owner | None:
        return await info.context.owners.load(self.age)

    @strawberry.field
    def path(self, info: TrapInfo) -> list[str]:
        return [str(part) for part in info.path.as_list()]

    @strawberry.field
    def bad_weight(self) -> int:
        return 2**31


@strawberry.type
class Cat(Animal):
    lives: int = 9

    @strawberry.field
    def kittens(self, number: int = 2) -> list["Cat | None"]:
        return [None if each == 1 else Cat(name=f"k{each}", age=each) for each in range(max(0, min(number, 3)))]

    @strawberry.field
    def asked_for(self, info: TrapInfo) -> list[str]:
        return [selected.name for selected in info.selected_fields]  # type: ignore[union-attr]


@strawberry.type
class Robot:
    """What is of this type, a function tells; it may be a mere dictionary's stand-in."""

    serial: int

    @classmethod
    def is_type_of(cls, value: Any, _: Any) -> bool:
        return isinstance(value, Robot | Machine)


@dataclass
class Machine:
    serial: int


@strawberry.type
class Shelf(Generic[T]):
    things: list[T]
    total: int | None = None


Friend = Annotated[Dog | Cat | Robot, strawberry.union("Friend")]
Pet = Annotated[Dog | Cat, strawberry.union("Pet")]


def animal(number: int) -> Animal:
    if number % 2:
        return Dog(name=f"dog {number}", age=number, colour=[None, Colour.RED, Colour.BLUE][number % 3])
    return Cat(name=f"cat {number}", age=number)


def static_number(factor: int = 3) -> int:
    return factor * 7


def of_parent(parent: strawberry.Parent[Any]) -> str:
    return repr(parent)


@strawberry.type
class Inner:
    depth: int

    @strawberry.field
    def deeper(self) -> "Inner":
        return Inner(depth=self.depth + 1)

    @strawberry.field
    def perhaps(self) -> "Inner | None":
        return Inner(depth=self.depth + 1) if self.depth < 2 else None

    @strawberry.field
    def bad_null(self) -> int:
        return None  # type: ignore[return-value]

    @strawberry.field
    async def bad_later(self) -> "Inner":
        await asyncio.sleep(0)
        raise ValueError("later")


@strawberry.type
class Query:
    bad_attribute: str | None = "of the root, which is not there"

    @strawberry.field
    def values(self) -> Values:
        return Values()

    @strawberry.field
    def no_values(self) -> Values | None:
        return None

    @strawberry.field
    async def no_values_later(self) -> Values | None:
        await asyncio.sleep(0)
        return None

    @strawberry.field
    def animals(self, number: int = 3) -> list[Animal]:
        return [animal(each) for each in range(max(0, min(number, 4)))]

    @strawberry.field
    async def rare_pets(self, number: int = 3) -> list[Pet | None]:
        await asyncio.sleep(0)
        return [None if each == 2 else animal(each) for each in range(max(0, min(number, 4)))]  # type: ignore[misc]

    @strawberry.field
    def rare_friends(self) -> list[Friend]:
        return [Robot(serial=1), Dog(name="d", age=1), Cat(name="c", age=2)]

    @strawberry.field
    def bad_friend(self) -> Friend:
        return Machine(serial=7)  # type: ignore[return-value]

    @strawberry.field
    def bad_pet(self) -> Pet | None:
        return Owner(number=1)  # type: ignore[return-value]

    @strawberry.field
    def bad_dog(self) -> Dog | None:
        return Cat(name="not a dog", age=1)  # type: ignore[return-value]

    @strawberry.field
    def rare_robot(self) -> Robot:
        return Robot(serial=5)

    @strawberry.field
    def rare_shelf(self) -> Shelf[int]:
        return Shelf(things=[1, 2], total=2)

    @strawberry.field
    def rare_dogs(self) -> Shelf[Dog]:
        return Shelf(things=[Dog(name="shelved", age=3)])

    @strawberry.field
    def inner(self) -> Inner | None:
        return Inner(depth=0)

    @strawberry.field
    async def owner(self, info: TrapInfo, number: int = 1) -> Owner | None:
        return await info.context.owners.load(number)

    @strawberry.field
    async def owners(self, info: TrapInfo, numbers: list[int]) -> list[Owner | None]:
        return await info.context.owners.load_many([number % 10 for number in numbers])

    @strawberry.field
    def echo(self, point: Point) -> str:
        return repr(point)

    @strawberry.field
    def echo_all(self, points: list[Point | None] | None = None, either: Either | None = None) -> str:
        return f"{points!r} {either!r}"

    @strawberry.field
    def echo_scalars(
        self,
        *,
        number: int | None = strawberry.UNSET,
        real: float = 0.5,
        text: str | None = "default",
        id: strawberry.ID | None = None,  # noqa: A002
        flag: bool = False,
        colour: Colour | None = Colour.BLUE,
        colours: list[Colour] | None = None,
        numbers: list[int | None] | None = None,
        amount: Decimal | None = None,
    ) -> str:
        return repr([number, real, text, id, flag, colour, colours, numbers, amount])

    @strawberry.field
    def echo_maybe(self, text: strawberry.Maybe[str | None] = None, number: strawberry.Maybe[int] = None) -> str:
        return f"{text!r} {number!r}"

    @strawberry.field(name="renamed")
    def of_another_name(self, of_snake: Annotated[int, strawberry.argument(name="camel")] = 1) -> int:
        return of_snake

    @strawberry.field(extensions=[Doubled()])
    def doubled(self, text: str = "ab") -> str:
        return text

    @strawberry.field(extensions=[Doubled()])
    async def doubled_later(self, text: str = "ab") -> str:
        return text

    @strawberry.field(permission_classes=[Loud])
    def loud(self, info: TrapInfo) -> str:
        return "LOUD"

    @strawberry.field
    def bad_raise(self) -> str | None:
        raise ValueError("at once")

    @strawberry.field
    async def bad_raise_later(self) -> str | None:
        await asyncio.sleep(0)
        raise ValueError("later")

    static: int = strawberry.field(resolver=static_number)
    parent: str = strawberry.field(resolver=of_parent)


@strawberry.type
class Written:
    number: int

    @strawberry.field
    async def owner(self, info: TrapInfo) -> Owner | None:
        return await info.context.owners.load(self.number)

    @strawberry.field
    def bad_null(self) -> int:
        return None  # type: ignore[return-value]

    @strawberry.field
    async def bad_later(self) -> int | None:
        await asyncio.sleep(0)
        raise ValueError("in a result")


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def write(self, info: TrapInfo, number: int) -> Written:
        info.context.calls.append(f"begin {number}")
        await asyncio.sleep(0)
        info.context.calls.append(f"end {number}")
        return Written(number=number)

    @strawberry.mutation
    def write_now(self, info: TrapInfo, number: int) -> Written | None:
        info.context.calls.append(f"now {number}")
        return Written(number=number) if number else None

    @strawberry.mutation
    def refuse(self, info: TrapInfo) -> Written | None:
        info.context.calls.append("refuse")
        raise ValueError("refused")


def shouted() -> Any:
    return strawberry.scalar(name="Shouted", serialize=lambda value: value.upper(), parse_value=str)


def trap_schema(**options: Any) -> strawberry.Schema:
    return strawberry.Schema(
        query=Query,
        mutation=Mutation,
        types=[Dog, Cat, Owner],
        config=StrawberryConfig(scalar_map={Shouted: shouted()}),
        **options,
    )
