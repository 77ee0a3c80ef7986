/**
 * The standard library a submission may use, as (module, attribute) pairs of CPython 3.11; what is
 * not listed is refused. A module is listed when no attribute of it reads or writes files, opens
 * connections, starts processes, evaluates strings or hands out other modules; attributes that
 * would are left out. Left out on purpose, because they look harmless:
 *
 * - dataclasses.make_dataclass, typing.get_type_hints, typing.ForwardRef: evaluate strings
 * - string.Formatter: walks attributes named in a string
 * - warnings.catch_warnings: its instances carry a module
 * - types.FunctionType, CodeType, new_class: build code
 * - uuid.uuid1, uuid.getnode: start a process to learn the hardware address
 * - logging.FileHandler, handlers: write files
 * - functools.update_wrapper: hands attributes of any name to an object of the file
 * - dataclasses.Field: its name becomes a part of code that dataclass writes
 * - traceback.format_list, extract_tb, warnings.formatwarning: read lines of any file
 * - shlex.shlex: opens the files that its input names
 * - zlib.decompress: unpacks answer tables; json.load, dump stay, they take an open stream
 */
const pairs: Readonly<Record<string, string>> = {
  __future__:
    'annotations division absolute_import print_function unicode_literals generator_stop with_statement nested_scopes generators',
  abc: 'ABC ABCMeta abstractclassmethod abstractmethod abstractproperty abstractstaticmethod',
  array: 'ArrayType array typecodes',
  ast: 'literal_eval',
  asyncio:
    'ALL_COMPLETED BoundedSemaphore CancelledError Condition Event FIRST_COMPLETED FIRST_EXCEPTION Future InvalidStateError LifoQueue Lock PriorityQueue Queue QueueEmpty QueueFull Runner Semaphore Task TimeoutError all_tasks as_completed create_task current_task ensure_future gather get_event_loop get_running_loop iscoroutine iscoroutinefunction isfuture new_event_loop run set_event_loop shield sleep timeout timeout_at to_thread wait wait_for wrap_future AbstractEventLoop Barrier BrokenBarrierError TaskGroup run_coroutine_threadsafe',
  base64:
    'a85decode a85encode b16decode b16encode b32decode b32encode b32hexdecode b32hexencode b64decode b64encode b85decode b85encode decodebytes encodebytes standard_b64decode standard_b64encode urlsafe_b64decode urlsafe_b64encode',
  binascii:
    'Error Incomplete a2b_base64 a2b_hex b2a_base64 b2a_hex crc32 crc_hqx hexlify unhexlify',
  bisect: 'bisect bisect_left bisect_right insort insort_left insort_right',
  calendar:
    'Calendar FRIDAY IllegalMonthError IllegalWeekdayError MONDAY SATURDAY SUNDAY THURSDAY TUESDAY TextCalendar WEDNESDAY calendar day_abbr day_name firstweekday isleap leapdays month month_abbr month_name monthcalendar monthrange timegm weekday weekheader',
  cmath:
    'acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log log10 nan nanj phase pi polar rect sin sinh sqrt tan tanh tau',
  collections:
    'ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque namedtuple',
  'collections.abc':
    'AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable Collection Container Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView',
  colorsys: 'hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb',
  concurrent: '',
  'concurrent.futures':
    'ALL_COMPLETED BrokenExecutor CancelledError Executor FIRST_COMPLETED FIRST_EXCEPTION Future ThreadPoolExecutor TimeoutError as_completed wait',
  contextlib:
    'AbstractAsyncContextManager AbstractContextManager AsyncExitStack ContextDecorator ExitStack aclosing asynccontextmanager closing contextmanager nullcontext redirect_stderr redirect_stdout suppress',
  contextvars: 'Context ContextVar Token copy_context',
  copy: 'Error copy deepcopy',
  csv: 'Dialect DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC Sniffer excel excel_tab field_size_limit get_dialect list_dialects reader register_dialect unix_dialect writer',
  dataclasses:
    'FrozenInstanceError InitVar KW_ONLY MISSING asdict astuple dataclass field fields is_dataclass replace',
  datetime: 'MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo',
  decimal:
    'BasicContext Clamped Context ConversionSyntax Decimal DecimalException DecimalTuple DefaultContext DivisionByZero DivisionImpossible DivisionUndefined ExtendedContext FloatOperation Inexact InvalidContext InvalidOperation Overflow ROUND_05UP ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP Rounded Subnormal Underflow getcontext localcontext setcontext',
  difflib:
    'Differ HtmlDiff IS_CHARACTER_JUNK IS_LINE_JUNK Match SequenceMatcher context_diff get_close_matches ndiff restore unified_diff',
  enum: 'CONFORM CONTINUOUS EJECT Enum EnumCheck EnumMeta EnumType Flag FlagBoundary IntEnum IntFlag KEEP NAMED_FLAGS ReprEnum STRICT StrEnum UNIQUE auto member nonmember property unique verify',
  fnmatch: 'filter fnmatch fnmatchcase translate',
  fractions: 'Fraction',
  functools:
    'cache cached_property cmp_to_key lru_cache partial partialmethod reduce singledispatch singledispatchmethod total_ordering wraps',
  graphlib: 'CycleError TopologicalSorter',
  hashlib:
    'algorithms_available algorithms_guaranteed blake2b blake2s md5 new pbkdf2_hmac sha1 sha224 sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512 shake_128 shake_256',
  heapq: 'heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest',
  hmac: 'HMAC compare_digest digest new',
  html: 'escape unescape',
  'html.parser': 'HTMLParser',
  http: 'HTTPMethod HTTPStatus',
  io: 'BytesIO SEEK_CUR SEEK_END SEEK_SET StringIO UnsupportedOperation',
  ipaddress: 'IPv4Address IPv4Network IPv6Address IPv6Network ip_address ip_interface ip_network',
  itertools:
    'accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest',
  json: 'JSONDecodeError JSONDecoder JSONEncoder dump dumps load loads',
  'json.decoder': 'JSONDecodeError JSONDecoder',
  'json.encoder': 'JSONEncoder',
  keyword: 'iskeyword issoftkeyword kwlist softkwlist',
  logging:
    'BASIC_FORMAT CRITICAL DEBUG ERROR FATAL Filter Formatter INFO LogRecord Logger LoggerAdapter NOTSET NullHandler Handler StreamHandler WARN WARNING addLevelName basicConfig captureWarnings critical debug disable error exception fatal getLevelName getLevelNamesMapping getLogger info log warn warning',
  math: 'acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp',
  numbers: 'Complex Integral Number Rational Real',
  operator:
    'abs add and_ attrgetter call concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_not isub itemgetter itruediv ixor le length_hint lshift lt matmul methodcaller mod mul ne neg not_ or_ pos pow rshift setitem sub truediv truth xor',
  os: 'environ getenv',
  'os.path':
    'abspath altsep basename commonpath commonprefix curdir dirname exists expanduser expandvars extsep getsize isabs isdir isfile islink join lexists normcase normpath pardir pathsep realpath relpath sep split splitdrive splitext',
  pprint: 'PrettyPrinter isreadable isrecursive pformat pp pprint saferepr',
  queue: 'Empty Full LifoQueue PriorityQueue Queue SimpleQueue',
  random:
    'Random SystemRandom betavariate choice choices expovariate gammavariate gauss getrandbits getstate lognormvariate normalvariate paretovariate randbytes randint random randrange sample seed setstate shuffle triangular uniform vonmisesvariate weibullvariate',
  re: 'A ASCII DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern RegexFlag S U UNICODE VERBOSE X compile error escape findall finditer fullmatch match purge search split sub subn',
  reprlib: 'Repr recursive_repr repr',
  sched: 'scheduler',
  secrets:
    'SystemRandom choice compare_digest randbelow randbits token_bytes token_hex token_urlsafe',
  shlex: 'join quote split',
  statistics:
    'NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean linear_regression mean median median_grouped median_high median_low mode multimode pstdev pvariance quantiles stdev variance',
  string:
    'Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable punctuation whitespace',
  struct: 'Struct calcsize error iter_unpack pack pack_into unpack unpack_from',
  sys: 'argv exit stderr stdout maxsize version_info float_info int_info',
  textwrap: 'TextWrapper dedent fill indent shorten wrap',
  threading:
    'Barrier BoundedSemaphore BrokenBarrierError Condition Event Lock RLock Semaphore TIMEOUT_MAX Thread ThreadError Timer active_count current_thread get_ident local main_thread',
  time: 'altzone asctime ctime daylight gmtime localtime mktime monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns sleep strftime strptime struct_time thread_time thread_time_ns time time_ns timezone tzname',
  traceback:
    'format_exc format_exception format_exception_only format_tb print_exc print_exception',
  types:
    'AsyncGeneratorType BuiltinFunctionType BuiltinMethodType CoroutineType EllipsisType GeneratorType GenericAlias MappingProxyType MethodType NoneType NotImplementedType SimpleNamespace TracebackType UnionType',
  typing:
    'AbstractSet Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator Awaitable BinaryIO ByteString Callable ChainMap ClassVar Collection Concatenate Container ContextManager Coroutine Counter DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable IO ItemsView Iterable Iterator KeysView List Literal LiteralString Mapping MappingView Match MutableMapping MutableSequence MutableSet NamedTuple Never NewType NoReturn NotRequired Optional OrderedDict ParamSpec ParamSpecArgs ParamSpecKwargs Pattern Protocol Required Reversible Self Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsIndex SupportsInt SupportsRound TYPE_CHECKING Text TextIO Tuple Type TypeAlias TypeGuard TypeVar TypeVarTuple TypedDict Union Unpack ValuesView assert_never assert_type cast dataclass_transform final get_args get_origin is_typeddict no_type_check overload reveal_type runtime_checkable',
  unicodedata:
    'bidirectional category combining decimal decomposition digit east_asian_width is_normalized lookup mirrored name normalize numeric unidata_version',
  urllib: '',
  'urllib.parse':
    'DefragResult ParseResult SplitResult parse_qs parse_qsl quote quote_from_bytes quote_plus unquote unquote_plus unquote_to_bytes urldefrag urlencode urljoin urlparse urlsplit urlunparse urlunsplit',
  uuid: 'NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 UUID uuid3 uuid4 uuid5',
  warnings: 'filterwarnings resetwarnings simplefilter warn',
  weakref:
    'ReferenceType WeakKeyDictionary WeakMethod WeakSet WeakValueDictionary finalize getweakrefcount proxy ref',
  zlib: 'adler32 crc32',
  zoneinfo: 'ZoneInfo ZoneInfoNotFoundError available_timezones',
};

const attributesOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(pairs).map(([module, names]) => [module, new Set(names.split(' '))]),
);

/** What may follow an attribute that is itself too powerful to hand around. */
const onlyThen: Readonly<Record<string, readonly string[]>> = {
  'os.environ': ['get'],
  'sys.stderr': ['write', 'flush'],
  'sys.stdout': ['write', 'flush'],
};

/** Functions that take attribute names: callable with literal names only, never handed around. */
const literalNamesOnly = new Set(['operator.attrgetter', 'operator.methodcaller']);

// A star import is safe where the module's __all__ holds nothing but listed pairs.
const starSafe = new Set([
  'math',
  'cmath',
  'collections',
  'itertools',
  'heapq',
  'bisect',
  'numbers',
]);

// Modules that are refused as a whole when anything but their listed pairs is used.
const insecureBesidesPairs = new Set(['sys']);

/** For suggestions: what a submission may use of a module, nothing for one that is not listed. */
export function listedAttributes(module: string): readonly string[] {
  return [...(attributesOf.get(module) ?? [])].filter((name) => name !== '');
}

export function listedModules(): readonly string[] {
  return [...attributesOf.keys()];
}

export interface ModuleRules {
  isAllowedModule(module: string): boolean;
  isAgentModule(module: string): boolean;
  isAllowedPair(module: string, attribute: string): boolean;
  isStarSafe(module: string): boolean;
  /** A package of which only listed submodules may be used, or one refused beside its pairs. */
  isInsecureBesidesPairs(module: string): boolean;
  onlyThen(module: string, attribute: string): readonly string[] | undefined;
  takesLiteralNames(module: string, attribute: string): boolean;
}

export function moduleRules(agentPackages: readonly string[]): ModuleRules {
  const isAgentModule = (module: string) =>
    agentPackages.some((name) => module === name || module.startsWith(`${name}.`));
  return {
    isAgentModule,
    isAllowedModule: (module) => attributesOf.has(module) || isAgentModule(module),
    isAllowedPair: (module, attribute) =>
      isAgentModule(module)
        ? !attribute.startsWith('_') && !foreignModules.has(attribute)
        : attributesOf.get(module)?.has(attribute) === true,
    isStarSafe: (module) => starSafe.has(module) || isAgentModule(module),
    isInsecureBesidesPairs: (module) => insecureBesidesPairs.has(module) || pairs[module] === '',
    onlyThen: (module, attribute) => onlyThen[`${module}.${attribute}`],
    takesLiteralNames: (module, attribute) => literalNamesOnly.has(`${module}.${attribute}`),
  };
}

// Modules that an agent package may have imported for itself and so carry as an attribute.
const foreignModules = new Set([
  ...['os', 'sys', 'subprocess', 'socket', 'shutil', 'builtins', 'importlib', 'imp', 'ctypes'],
  ...[
    'pickle',
    'marshal',
    'multiprocessing',
    'inspect',
    'gc',
    'codecs',
    'io',
    'pathlib',
    'tempfile',
  ],
  ...[
    'signal',
    'runpy',
    'pkgutil',
    'codeop',
    'pty',
    'posix',
    'nt',
    'mmap',
    'fcntl',
    'ssl',
    'urllib',
  ],
  ...[
    'asyncio',
    'threading',
    'logging',
    'requests',
    'httpx',
    'aiohttp',
    'urllib3',
    'sqlite3',
    'glob',
  ],
  ...['linecache', 'traceback', 'warnings', 'http', 'platform'],
]);
