"""What known libraries do with control and with time, as data that a contributor extends in one line.

Names are dotted, as an import gives them; `()` stands for "an instance of". A name ending in a dot covers everything below it.
"""

from __future__ import annotations

NEVER_RETURN = frozenset(
    """
    builtins.exit builtins.quit sys.exit os._exit os.abort six.reraise six.raise_from future.utils.raise_ celery.Task().retry
    celery.Task().replace
    """.split()
)
"""Calls from which control does not come back (Celery's `retry` raises unless `throw=False`: its user guide, "Retrying")."""

CHEAP = frozenset(
    """
    ast. base64. binascii. bisect. calendar. collections. copy. csv.Sniffer cmath. dataclasses. datetime. dateutil. decimal. difflib. email.
    enum. fractions. functools. gettext. hashlib. heapq. hmac. html. inspect. ipaddress. itertools. json. keyword. locale. logging. math.
    mimetypes. operator. os.environ. os.getenv os.path.basename os.path.dirname os.path.join os.path.split os.path.splitext os.path.normpath
    os.getpid pathlib.PurePath pprint. pytz. random. re. secrets. statistics. string. struct. structlog. textwrap. time.time time.monotonic
    time.perf_counter time.strftime time.strptime time.mktime time.gmtime time.localtime traceback. types. typing. unicodedata.
    urllib.parse. uuid. warnings. weakref. zlib. zoneinfo. contextlib. contextvars. concurrent.futures.as_completed[]. abc. array. codecs.
    colorsys. cgi.escape django.conf. django.utils.timezone. django.utils.dateparse. django.utils.encoding. django.utils.translation.
    django.utils.html. django.utils.text. django.utils.http. django.utils.crypto. django.utils.safestring. django.utils.dates.
    django.utils.formats. django.utils.dateformat. django.utils.duration. django.utils.six. cvss. django.core.exceptions.
    django.core.validators. django.db.models.Q django.db.models.F django.urls. rest_framework.exceptions. attr. attrs. pydantic. six.
    simplejson. ujson. orjson. yaml. bleach. markdown. jsonschema. phonenumbers. semver. packaging. slugify. sentry_sdk. newrelic. loguru.
    asgiref.sync. asyncio.create_task asyncio.ensure_future asyncio.get_event_loop asyncio.get_running_loop asyncio.Lock asyncio.Semaphore
    asyncio.Queue xml.etree. xml.dom. xml.sax. defusedxml. lxml.etree.fromstring lxml.etree.XML lxml.html. bs4. html5lib. cryptography.
    nacl. jwt. jose. itsdangerous. pyparsing. icalendar. langdetect. threading.Thread threading.Lock threading.RLock threading.Event
    threading.local threading.current_thread concurrent.futures.ThreadPoolExecutor concurrent.futures.ProcessPoolExecutor
    lxml.etree.tostring celery.signature celery.group celery.chain celery.chord celery.states celery.schedules. celery.utils.log.
    builtins.dict. builtins.list. builtins.set. builtins.str. builtins.tuple. builtins.bytes. builtins.int. builtins.float. builtins.type.
    builtins.abs builtins.all builtins.any builtins.ascii builtins.bin builtins.bool builtins.bytearray builtins.bytes builtins.callable
    builtins.chr builtins.classmethod builtins.complex builtins.delattr builtins.dict builtins.dir builtins.divmod builtins.enumerate
    builtins.filter builtins.float builtins.format builtins.frozenset builtins.getattr builtins.globals builtins.hasattr builtins.hash
    builtins.hex builtins.id builtins.int builtins.isinstance builtins.issubclass builtins.iter builtins.len builtins.list builtins.locals
    builtins.map builtins.max builtins.memoryview builtins.min builtins.next builtins.object builtins.oct builtins.ord builtins.pow builtins.property
    builtins.range builtins.repr builtins.reversed builtins.round builtins.set builtins.setattr builtins.slice builtins.sorted builtins.str
    builtins.sum builtins.super builtins.tuple builtins.type builtins.vars builtins.zip
    """.split()
)
"""Calls in which no time can pass."""

CHEAP_METHODS = frozenset(
    """
    append appendleft extend insert add discard clear copy setdefault popitem keys values items index count sort reverse strip lstrip rstrip
    split rsplit splitlines partition rpartition join format format_map startswith endswith lower upper title capitalize casefold swapcase
    encode decode replace removeprefix removesuffix zfill ljust rjust center isdigit isalpha isalnum isnumeric isspace islower isupper
    translate find rfind isoformat strftime timestamp total_seconds date time timetuple weekday isoweekday astimezone localize utcoffset
    fromisoformat fromtimestamp strptime group groups groupdict hexdigest digest as_tuple quantize union intersection difference issubset
    issuperset debug info warning warn error critical exception log getLogger close aclose is_set set_description as_posix with_suffix
    relative_to set_tag set_attribute set_context incr_counter
    """.split()
)
"""Methods in which no time can pass, whatever the receiver: those of strings, lists, dicts, dates, matches and loggers."""

STRING_METHODS = frozenset(
    """
    strip lstrip rstrip split rsplit splitlines partition rpartition startswith endswith lower upper title capitalize casefold swapcase encode
    zfill ljust rjust center isdigit isalpha isalnum isnumeric isspace islower isupper translate
    """.split()
)
"""Those among them that nothing of the language but strings and bytes has."""

OF_VALUES = CHEAP_METHODS | {name for of in (str, bytes, bytearray, list, dict, set) for name in dir(of)}
"""Methods that values of the language have."""

PASS_THROUGH = frozenset(
    """
    builtins.list builtins.tuple builtins.set builtins.frozenset builtins.sorted builtins.reversed builtins.iter builtins.filter copy.copy
    copy.deepcopy tqdm.tqdm tqdm.auto.tqdm itertools.chain itertools.islice itertools.chain.from_iterable typing.cast more_itertools.chunked
    itertools.batched
    """.split()
)
"""Calls whose elements are those of their argument (the last one of `typing.cast`)."""

SAME_FUNCTION = frozenset(
    """
    asgiref.sync.async_to_sync asgiref.sync.sync_to_async functools.partial functools.cache functools.lru_cache functools.update_wrapper
    """.split()
)
"""Calls that give back the function they are given, as far as control is concerned."""

ITERATING = frozenset(
    """
    builtins.map builtins.filter functools.reduce itertools.starmap builtins.sorted builtins.min builtins.max
    """.split()
)
"""Calls that call the function they are given once for each element, in the same thread."""

LAZY_QUERIES = frozenset(
    """
    all filter exclude order_by select_related prefetch_related annotate alias values values_list distinct none only defer reverse using
    union intersection difference iterator aiterator select_for_update extra raw dates datetimes get_queryset
    """.split()
)
"""Methods of a Django manager or queryset that give a queryset back and run no query (Django's QuerySet API reference)."""

ROW_QUERIES = frozenset(
    """
    get first last earliest latest create aget afirst alast acreate
    """.split()
)
"""Methods of a Django manager or queryset that give one row back."""

COMMON_METHODS = frozenset(
    """
    get set put post patch delete head options request send close open read write flush seek save update create remove run start stop
    execute commit rollback call apply process handle validate clean is_valid parse load loads dump dumps push pull pop fetch submit connect
    disconnect login logout upload download render query search match filter exclude first last exists count order_by all __init__ __call__
    __enter__ __exit__ setup teardown reset refresh build register unregister add_argument next result wait cancel name path url id key
    value data size shape mean sum min max publish subscribe notify emit log wrapper inner wrapped decorator main
    """.split()
)
"""Method names too common to be resolved by name alone."""

BLOCKING = frozenset(
    """
    time.sleep builtins.input subprocess.run subprocess.call subprocess.check_call subprocess.check_output urllib.request.urlopen
    requests.delete requests.get requests.head requests.patch requests.post requests.put requests.request
    """.split()
)
"""Calls known to block even inside a coroutine, where the signal then lands as itself."""

NOT_WAITING = frozenset(
    """
    put_nowait get_nowait task_done set cancel uncancel release call_soon call_soon_threadsafe call_later call_at create_task start_soon
    add_done_callback remove_done_callback set_result set_exception feed_data feed_eof write writelines
    """.split()
)
"""Methods of what coroutines work with that they call without waiting: queues, events, locks, futures, loops, transports."""

DISPATCH = frozenset(
    """
    delay apply_async send_task on_commit s si signature delay_on_commit enqueue enqueue_in enqueue_at enqueue_call enqueue_many enqueue_job
    async_task async_iter async_chain send_with_options writerow writerows write
    """.split()
)
"""Methods that hand work over or write it out, and do none of it per row."""

HARMLESS = frozenset(
    """
    builtins.print time.sleep builtins.input celery.Task().send celery.Task().schedule
    """.split()
)
"""Calls that take time and do not fail for one row. Of a task: to put it into its queue."""

ENTRY_BASES = frozenset(
    """
    BaseCommand NoArgsCommand AppCommand LabelCommand TestCase View APIView ViewSet Migration
    """.split()
)
"""Last names of base classes whose methods something else than a task calls."""

ENTRY_DECORATORS = frozenset(
    """
    invoke.task click.command click.group rich_click.command typer.Typer().command pytest.fixture fabric.task nox.session pyinvoke.task
    """.split()
)
"""Decorators of functions that something else than a task calls."""

EFFECTS = frozenset(
    """
    save asave delete adelete update aupdate create acreate bulk_create bulk_update get_or_create update_or_create add remove set clear send
    send_mail send_messages send_email post put patch request urlopen unlink rename move copyfile upload upload_file delete_object
    put_object publish execute executemany call_command notify email_user push commit refund charge capture cancel
    """.split()
)
"""Methods that change something outside of the process."""

NEVER_RETURN_AS_WRITTEN = frozenset(
    """
    self.retry task.retry self.task.retry
    """.split()
)
"""Calls that raise, known by how they are written where nobody knows the receiver."""

RUN_QUERIES = frozenset(
    """
    builtins.list builtins.tuple builtins.set builtins.sorted builtins.sum builtins.len builtins.bool builtins.max builtins.min
    builtins.dict builtins.any builtins.all builtins.next
    """.split()
)
"""Calls that run the query of a queryset they are given."""

NUMBERING = frozenset({"builtins.enumerate()", "builtins.zip()"})
"""Calls that pair each element of their arguments with something else, as values."""

CLOSING = frozenset({"close", "aclose"})
"""Methods of a connection in which hardly any time passes: a guarded one is no finding that anybody would mend."""

CONNECTIONS = frozenset(
    """
    connection conn backend client session socket cursor file stream pool channel response
    """.split()
)
"""Words by which the class of a connection is known."""

ATOMIC = frozenset({"django.db.transaction.atomic"})
"""Contexts and decorators that open a transaction or, inside of one, a savepoint (Django's documentation, "Database transactions")."""

DATABASE_ERRORS = frozenset(
    f"{module}.{name}"
    for module in ("django.db", "django.db.utils")
    for name in ("Error", "DatabaseError", "IntegrityError", "DataError", "OperationalError", "ProgrammingError", "InternalError")
)
"""What a query that fails raises."""

WRITES = frozenset(
    """
    save asave delete adelete create acreate bulk_create abulk_create bulk_update abulk_update update aupdate execute executemany
    """.split()
)
"""Methods that write by a query of their own. `get_or_create` and `update_or_create` are none: they have a savepoint of their own."""
