/**
 * Names that mean the same in every file, so that renaming them means other code. Not the list of
 * what a submission may use, which grows: a new name here would change every stored fingerprint.
 */
const kept = new Set(
  [
    // Builtins.
    'abs all any bin bool bytearray bytes callable chr dict divmod enumerate filter float format',
    'frozenset getattr hasattr hash hex id int isinstance issubclass iter len list map max min next',
    'object oct ord pow print property range repr reversed round set slice sorted staticmethod',
    'classmethod str sum super tuple type zip Exception ValueError TypeError KeyError IndexError',
    'RuntimeError StopIteration ZeroDivisionError AttributeError NotImplementedError',
    // Methods of builtin types.
    'append extend insert remove pop clear index count sort reverse copy get items keys values',
    'setdefault update popitem fromkeys add discard union intersection difference',
    'symmetric_difference issubset issuperset isdisjoint capitalize casefold center encode decode',
    'endswith startswith expandtabs find rfind rindex join ljust rjust lower upper lstrip rstrip',
    'strip partition rpartition replace split rsplit splitlines swapcase title translate zfill',
    'isalnum isalpha isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle',
    'isupper format_map maketrans',
    // Of modules that agents use most.
    'loads dumps compile match search fullmatch findall finditer sub group groups sqrt log exp',
    'floor ceil defaultdict Counter deque OrderedDict namedtuple most_common appendleft popleft',
    'heappush heappop nlargest nsmallest lru_cache partial reduce wraps chain product permutations',
    'combinations islice groupby accumulate dataclass field asdict monotonic perf_counter sleep',
    'choice shuffle sample randint uniform seed bisect bisect_left bisect_right mean median',
    'gather create_task run wait_for submit result',
  ].flatMap((line) => line.split(' ')),
);

export const isKeptName = (name: string): boolean => kept.has(name) || dunder.test(name);

const dunder = /^__[a-z]+__$/;
