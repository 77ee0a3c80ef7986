"""Typing-heavy: protocols, generics, TypedDict, NamedTuple, Literal, overloads and guards."""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import (
    TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, NewType, Protocol, TypeAlias, TypedDict,
    TypeVar, Union, cast, overload, runtime_checkable,
)

if TYPE_CHECKING:
    from decimal import Decimal

ProductId = NewType("ProductId", str)
Kind: TypeAlias = Literal["product", "shop", "voucher"]
Json: TypeAlias = "Union[None, bool, int, float, str, list[Json], dict[str, Json]]"
KINDS: Final[tuple[Kind, ...]] = ("product", "shop", "voucher")
T_co = TypeVar("T_co", covariant=True)
K = TypeVar("K")
V = TypeVar("V", bound="Priced")


class RawOffer(TypedDict, total=False):
    product_id: str
    title: str
    price: float


class Range(NamedTuple):
    low: float = 0.0
    high: float = float("inf")

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (int, float)) and self.low <= value <= self.high


@runtime_checkable
class Priced(Protocol):
    @property
    def price(self) -> float: ...
    def title_words(self) -> Sequence[str]: ...


class Source(Protocol[T_co]):
    def __call__(self, query: str, *, limit: int = ...) -> Iterable[T_co]: ...


class Item:
    __match_args__ = ("id", "price")
    __slots__ = ("id", "title", "price", "__weakref__")

    def __init__(self, raw: RawOffer) -> None:
        self.id = ProductId(raw["product_id"])
        self.title = raw.get("title", "")
        self.price = float(raw.get("price", 0.0))

    def title_words(self) -> Sequence[str]:
        return self.title.lower().split()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(id={self.id!r}, price={self.price:.2f})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Item) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __lt__(self, other: "Item") -> bool:
        return self.price < other.price


class Index(Generic[K, V], Mapping[K, V]):
    def __init__(self, items: Iterable[V], key: Callable[[V], K]) -> None:
        self._items: dict[K, V] = {key(item): item for item in items}

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items


class Chooser(ABC):
    kind: Kind = "product"

    @abstractmethod
    def choose(self, items: Sequence[Item]) -> Item | None: ...

    def __init_subclass__(cls, /, **options: Any) -> None:
        super().__init_subclass__(**options)
        assert cls.kind in KINDS, cls.__name__


class Cheapest(Chooser):
    def choose(self, items: Sequence[Item]) -> Item | None:
        return min(items, default=None)


@overload
def first(items: Sequence[Item], default: None = None) -> Item | None: ...
@overload
def first(items: Sequence[Item], default: Item) -> Item: ...
def first(items, default=None):
    return next(iter(items), default)


def agent_main(problem: Mapping[str, Json], source: Source[RawOffer], budget: "Decimal | None" = None) -> str | None:
    goal = cast(str, problem["goal_text"])
    limits = Range(high=float(budget)) if budget is not None else Range()
    index = Index((Item(raw) for raw in source(goal, limit=20)), key=lambda item: item.id)
    fitting = [item for item in index.values() if item.price in limits and isinstance(item, Priced)]
    match Cheapest().choose(fitting):
        case Item(id, price) if price > 0:
            return id
        case None | _:
            return first(fitting).id if fitting else None
