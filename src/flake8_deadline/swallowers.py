"""The calls of known libraries that take the deadline signal as one more error of their own, and those that let it out: data.

Names are dotted, as an import gives them; `()` stands for "an instance of" or "the result of". A name ending in a dot covers everything
below it. `KNOWN_CLEAN` is asked first: a call that stands there lets the signal out although a row of `SWALLOWERS` covers it.

Each fact is of a call that waits for its server when the signal's handler raises in the main thread. "live" in `source` names the probe of
`tests/live/probes` that measures it in every run of the live tests; "by hand" was measured in the same way once, at the version given.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Swallower(NamedTuple):
    names: frozenset[str]
    does: Literal["swallows", "retries", "retypes"]
    """`swallows`: the call returns. `retries`: the same work begins anew, and the call returns if that succeeds. `retypes`: `into` is raised."""
    versions: str
    """PEP 440 specifier of the versions of `distribution` for which this was measured or read; "" is every version."""
    distribution: str
    """The name on PyPI, or "python" for the standard library; in lower case with hyphens."""
    source: str
    remedy: str
    into: str = ""
    """The dotted name of the error that leaves in the signal's place, for `retries` once the tries are used up."""
    when: tuple[str, object] | None = None
    """Counts only if this keyword is passed with this constant, to the call or to a call that made its receiver."""
    runs: bool = False
    """Whether it is the function passed to it that takes the time."""
    unless: tuple[str, object] | None = None
    """Does not count if this keyword is passed with this constant, to the call or to a call that made its receiver."""


class Clean(NamedTuple):
    names: frozenset[str]
    versions: str
    distribution: str
    source: str


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OPENAI = _names("openai.OpenAI(). openai.AzureOpenAI(). openai.Client(). openai.chat. openai.completions. openai.embeddings. openai.responses.")
_ANTHROPIC = _names("anthropic.Anthropic(). anthropic.Client(). anthropic.AnthropicBedrock(). anthropic.AnthropicVertex().")
_GROQ = _names("groq.Groq(). groq.Client().")
_LANGCHAIN_OPENAI = frozenset(
    f"langchain_openai.{model}"
    for model in """
    ChatOpenAI().invoke ChatOpenAI().bind().invoke ChatOpenAI().bind_tools().invoke ChatOpenAI().with_structured_output().invoke
    AzureChatOpenAI().invoke AzureChatOpenAI().bind().invoke AzureChatOpenAI().bind_tools().invoke
    AzureChatOpenAI().with_structured_output().invoke OpenAIEmbeddings().embed_query OpenAIEmbeddings().embed_documents
    AzureOpenAIEmbeddings().embed_query AzureOpenAIEmbeddings().embed_documents
    """.split()
)
_LANGCHAIN_ANTHROPIC = frozenset(
    f"langchain_anthropic.ChatAnthropic().{method}" for method in "invoke bind().invoke bind_tools().invoke with_structured_output().invoke".split()
)
_LITELLM = _names("litellm.completion litellm.text_completion litellm.embedding litellm.responses")
_BOTO = _names(
    """
    boto3.client(). boto3.resource(). boto3.Session().client(). boto3.Session().resource(). boto3.session.Session().client().
    boto3.session.Session().resource(). botocore.session.get_session().create_client(). botocore.session.Session().create_client().
    """
)
_BOTO_CLEAN = frozenset(
    f"{client}{method}"
    for client in _BOTO
    for method in """
    upload_file upload_fileobj download_file download_fileobj get_paginator get_waiter generate_presigned_url generate_presigned_post
    can_paginate close
    """.split()
)
_ELASTICSEARCH = _names(
    """
    elasticsearch.Elasticsearch(). elasticsearch.helpers.bulk elasticsearch.helpers.scan elasticsearch.helpers.reindex
    """
)
_OPENSEARCH = _names(
    """
    opensearchpy.OpenSearch(). opensearchpy.helpers.bulk opensearchpy.helpers.scan opensearchpy.helpers.reindex
    """
)
_STRIPE = frozenset(
    {
        "stripe.StripeClient().",
        *(
            f"stripe.{resource}."
            for resource in """
            Account ApplicationFee Balance BalanceTransaction Charge Coupon CreditNote Customer Dispute Event File Invoice InvoiceItem Mandate
            PaymentIntent PaymentLink PaymentMethod Payout Plan Price Product PromotionCode Quote Refund Review SetupIntent Source Subscription
            SubscriptionItem SubscriptionSchedule TaxRate Token Topup Transfer WebhookEndpoint apps billing billing_portal checkout
            financial_connections identity issuing radar reporting sigma tax terminal treasury
            """.split()
        ),
    }
)
_IMPORT = _names(
    """
    import_export.resources.Resource().import_data import_export.resources.ModelResource().import_data
    """
)

NUMBERED_ALIKE = {"botocore": "boto3"}
"""Distributions that are seldom pinned themselves, by the one that needs the same version of them, to the last but one number."""

SWALLOWERS: tuple[Swallower, ...] = (
    Swallower(
        names=_OPENAI,
        does="retries",
        versions=">=1.0,<3.14.1",
        distribution="openai",
        source="openai/_base_client.py, SyncAPIClient.request, `except Exception`: live at 2.54.0, by hand at 1.0.0, 1.109.1, 2.0.0, 2.30.0, 3.0.0",
        remedy="use openai 3.14.1 or later, or max_retries=0 and let APIConnectionError out",
        into="openai.APIConnectionError",
        unless=("max_retries", 0),
    ),
    Swallower(
        names=_OPENAI,
        does="retypes",
        versions=">=1.0,<3.14.1",
        distribution="openai",
        source="openai/_base_client.py, SyncAPIClient.request, `except Exception`: live at 2.54.0, by hand at 1.0.0, 1.109.1, 2.0.0, 2.30.0, 3.0.0",
        remedy="use openai 3.14.1 or later, or let APIConnectionError out",
        into="openai.APIConnectionError",
        when=("max_retries", 0),
    ),
    Swallower(
        names=_ANTHROPIC,
        does="retries",
        versions=">=0.18",
        distribution="anthropic",
        source="anthropic/_base_client.py, SyncAPIClient, `except Exception` round the sending: live at 2.14.0, by hand at 0.18.0 to 1.17.0",
        remedy="pass max_retries=0 to the client and let APIConnectionError out",
        into="anthropic.APIConnectionError",
        unless=("max_retries", 0),
    ),
    Swallower(
        names=_ANTHROPIC,
        does="retypes",
        versions=">=0.18",
        distribution="anthropic",
        source="anthropic/_base_client.py, SyncAPIClient, `except Exception` round the sending: live at 2.14.0, by hand at 0.18.0 to 1.17.0",
        remedy="let APIConnectionError out",
        into="anthropic.APIConnectionError",
        when=("max_retries", 0),
    ),
    Swallower(
        names=_GROQ,
        does="retries",
        versions="",
        distribution="groq",
        source="groq/_base_client.py, SyncAPIClient.request, `except Exception`: live at 1.7.0",
        remedy="pass max_retries=0 to the client and let APIConnectionError out",
        into="groq.APIConnectionError",
        unless=("max_retries", 0),
    ),
    Swallower(
        names=_GROQ,
        does="retypes",
        versions="",
        distribution="groq",
        source="groq/_base_client.py, SyncAPIClient.request, `except Exception`: live at 1.7.0",
        remedy="let APIConnectionError out",
        into="groq.APIConnectionError",
        when=("max_retries", 0),
    ),
    Swallower(
        names=_LANGCHAIN_OPENAI,
        does="retries",
        versions=">=1.0,<3.14.1",
        distribution="openai",
        source="what openai/_base_client.py does, with langchain-openai 1.7.4: live with openai 2.54.0; clean with 3.57.0, by hand",
        remedy="use openai 3.14.1 or later, or max_retries=0 and let APIConnectionError out",
        into="openai.APIConnectionError",
        unless=("max_retries", 0),
    ),
    Swallower(
        names=_LANGCHAIN_OPENAI,
        does="retypes",
        versions=">=1.0,<3.14.1",
        distribution="openai",
        source="what openai/_base_client.py does, with langchain-openai 1.7.4: live with openai 2.54.0; clean with 3.57.0, by hand",
        remedy="use openai 3.14.1 or later, or let APIConnectionError out",
        into="openai.APIConnectionError",
        when=("max_retries", 0),
    ),
    Swallower(
        names=_LANGCHAIN_ANTHROPIC,
        does="retries",
        versions=">=0.18",
        distribution="anthropic",
        source="what anthropic/_base_client.py does, with langchain-anthropic 1.7.10: live with anthropic 2.14.0",
        remedy="pass max_retries=0 to the model and let APIConnectionError out",
        into="anthropic.APIConnectionError",
        unless=("max_retries", 0),
    ),
    Swallower(
        names=_LANGCHAIN_ANTHROPIC,
        does="retypes",
        versions=">=0.18",
        distribution="anthropic",
        source="what anthropic/_base_client.py does, with langchain-anthropic 1.7.10: live with anthropic 2.14.0",
        remedy="let APIConnectionError out",
        into="anthropic.APIConnectionError",
        when=("max_retries", 0),
    ),
    Swallower(
        names=_names("instructor.from_openai().chat.completions.create instructor.patch().chat.completions.create"),
        does="retypes",
        versions="",
        distribution="instructor",
        source="instructor/v2/core/retry.py, `except Exception`: by hand at 1.17.0, with openai 2.54.0 (which retries first) and 3.57.0",
        remedy="let InstructorRetryException out",
        into="instructor.exceptions.InstructorRetryException",
    ),
    Swallower(
        names=_LITELLM,
        does="retypes",
        versions="",
        distribution="litellm",
        source="litellm/main.py, completion, `except Exception`: by hand at 1.110.2; the error differs by provider, its base is openai.APIError",
        remedy="let openai.APIError out, and pass no num_retries",
        into="litellm.exceptions.InternalServerError",
    ),
    Swallower(
        names=_names("litellm.Router().completion litellm.Router().embedding"),
        does="retries",
        versions="",
        distribution="litellm",
        source="litellm/router.py, Router.function_with_retries, `except Exception`: by hand at 1.80.0 and 1.110.2",
        remedy="pass num_retries=0 to the router and let openai.APIError out",
        into="litellm.exceptions.InternalServerError",
        unless=("num_retries", 0),
    ),
    Swallower(
        names=_BOTO,
        does="retries",
        versions=">=1.44",
        distribution="botocore",
        source="botocore/httpsession.py, `except Exception`, and retry mode standard, the default since 1.44.0: live at 1.44.8",
        remedy='pass config=Config(retries={"total_max_attempts": 1}) to the client and let HTTPClientError out',
        into="botocore.exceptions.HTTPClientError",
    ),
    Swallower(
        names=_BOTO,
        does="retypes",
        versions="<1.44",
        distribution="botocore",
        source="botocore/httpsession.py, `except Exception`; retry mode legacy, the default, takes it for final: by hand at 1.35.0",
        remedy="let HTTPClientError out",
        into="botocore.exceptions.HTTPClientError",
    ),
    Swallower(
        names=_ELASTICSEARCH,
        does="retries",
        versions=">=8.0",
        distribution="elasticsearch",
        source="elastic_transport/_node/_http_urllib3.py, perform_request, `except Exception`: live at 9.5.1, by hand at 8.11.0",
        remedy="pass max_retries=0 to the client and let ConnectionError out",
        into="elastic_transport.ConnectionError",
        unless=("max_retries", 0),
    ),
    Swallower(
        names=_ELASTICSEARCH,
        does="retypes",
        versions=">=8.0",
        distribution="elasticsearch",
        source="elastic_transport/_node/_http_urllib3.py, perform_request, `except Exception`: live at 9.5.1, by hand at 8.11.0",
        remedy="let ConnectionError out",
        into="elastic_transport.ConnectionError",
        when=("max_retries", 0),
    ),
    Swallower(
        names=_ELASTICSEARCH,
        does="retries",
        versions=">=7.0,<8.0",
        distribution="elasticsearch",
        source="elasticsearch/connection/http_urllib3.py, perform_request, `except Exception`: by hand at 7.17.12, after the client's first request",
        remedy="pass max_retries=0 to the client and let ConnectionError out",
        into="elasticsearch.exceptions.ConnectionError",
        unless=("max_retries", 0),
    ),
    Swallower(
        names=_ELASTICSEARCH,
        does="retypes",
        versions=">=7.0,<8.0",
        distribution="elasticsearch",
        source="elasticsearch/connection/http_urllib3.py, perform_request, `except Exception`: by hand at 7.17.12",
        remedy="let ConnectionError out",
        into="elasticsearch.exceptions.ConnectionError",
        when=("max_retries", 0),
    ),
    Swallower(
        names=_OPENSEARCH,
        does="retries",
        versions=">=2.0",
        distribution="opensearch-py",
        source="opensearchpy/connection/http_urllib3.py, perform_request, `except Exception`: live at 3.2.0, by hand at 2.4.0",
        remedy="pass max_retries=0 to the client and let ConnectionError out",
        into="opensearchpy.exceptions.ConnectionError",
        unless=("max_retries", 0),
    ),
    Swallower(
        names=_OPENSEARCH,
        does="retypes",
        versions=">=2.0",
        distribution="opensearch-py",
        source="opensearchpy/connection/http_urllib3.py, perform_request, `except Exception`: live at 3.2.0, by hand at 2.4.0",
        remedy="let ConnectionError out",
        into="opensearchpy.exceptions.ConnectionError",
        when=("max_retries", 0),
    ),
    Swallower(
        names=_STRIPE,
        does="retypes",
        versions=">=8.0",
        distribution="stripe",
        source="stripe/_http_client.py, RequestsClient._request_internal, `except Exception`, for no retry: live at 16.1.0",
        remedy="let APIConnectionError out",
        into="stripe.APIConnectionError",
    ),
    Swallower(
        names=_STRIPE,
        does="retypes",
        versions="<8.0",
        distribution="stripe",
        source="stripe/http_client.py, RequestsClient, `except Exception`, for no retry: by hand at 5.5.0",
        remedy="let APIConnectionError out",
        into="stripe.error.APIConnectionError",
    ),
    Swallower(
        names=_names("django.dispatch.Signal().send_robust django.dispatch.dispatcher.Signal().send_robust"),
        does="swallows",
        versions="",
        distribution="django",
        source="django/dispatch/dispatcher.py, Signal.send_robust, `except Exception`: live at 5.2",
        remedy="use send, or raise the deadline again from the pairs that it returns",
    ),
    Swallower(
        names=_names("django.db.transaction.on_commit"),
        does="swallows",
        versions=">=4.2",
        distribution="django",
        source="django/db/backends/base/base.py, BaseDatabaseWrapper.on_commit and run_and_clear_commit_hooks, `except Exception`: live at 5.2",
        remedy="pass no robust=True",
        when=("robust", True),
        runs=True,
    ),
    Swallower(
        names=_IMPORT,
        does="swallows",
        versions="",
        distribution="django-import-export",
        source="import_export/resources.py, Resource.import_row, `except Exception`: live at 4.4.3, read at 3.3.9",
        remedy="pass raise_errors=True, or look for the deadline among the errors of the result's rows",
        unless=("raise_errors", True),
    ),
    Swallower(
        names=_IMPORT,
        does="retypes",
        versions=">=4.0",
        distribution="django-import-export",
        source="import_export/resources.py, Resource.import_data_inner, `raise import_exc`: live at 4.4.3; before 4.0 the error itself is raised",
        remedy="let ImportError out",
        into="import_export.exceptions.ImportError",
        when=("raise_errors", True),
    ),
    Swallower(
        names=_names("celery.Task().apply celery.Task().s().apply celery.Task().si().apply celery.Task().signature().apply"),
        does="swallows",
        versions="",
        distribution="celery",
        source="celery/app/task.py, Task.apply, and app/trace.py, trace_task, `except Exception`: live at 5.7.0",
        remedy="pass throw=True, or call the task as a function",
        unless=("throw", True),
    ),
    Swallower(
        names=_names("celery.utils.dispatch.Signal().send celery.utils.dispatch.signal.Signal().send"),
        does="swallows",
        versions="",
        distribution="celery",
        source="celery/utils/dispatch/signal.py, Signal.send, `except Exception`: live at 5.7.0",
        remedy="raise the deadline again from the pairs that it returns",
    ),
    Swallower(
        names=_names("unittest.TestCase().subTest"),
        does="swallows",
        versions="",
        distribution="python",
        source="unittest/case.py, _Outcome.testPartExecutor, a bare `except`: live; only in a test that a runner runs",
        remedy="keep test cases out of tasks",
    ),
)

KNOWN_CLEAN: tuple[Clean, ...] = (
    Clean(_OPENAI, ">=3.14.1", "openai", "openai/_base_client.py, SyncAPIClient.request names the errors that it takes: live at 3.57.0"),
    Clean(
        frozenset(
            f"{client}{method}" for client in _OPENAI | _ANTHROPIC | _GROQ if client.endswith("().") for method in ("with_options", "copy", "close")
        ),
        "",
        "openai, anthropic, groq",
        "read: no request is made",
    ),
    Clean(_BOTO_CLEAN, "", "botocore", "live at 1.44.8: uploads and downloads wait for a thread; the others make no request"),
    Clean(_names("google.genai.Client()."), "", "google-genai", "live at 3.6.1, with retry_options too"),
    Clean(_names("cohere.Client(). cohere.ClientV2()."), "", "cohere", "by hand at 7.3.1"),
    Clean(_names("mistralai.Mistral(). mistralai.client.Mistral()."), "", "mistralai", "by hand at 3.7.0"),
    Clean(_names("httpx."), "", "httpx", "live at 0.28.1, with a transport's retries too"),
    Clean(_names("requests."), "", "requests", "live at 2.34.2, with an adapter's Retry too"),
    Clean(_names("urllib3."), "", "urllib3", "live at 2.8.0, with retries"),
    Clean(_names("urllib.request."), "", "python", "live"),
    Clean(_names("smtplib."), "", "python", "by hand at 3.11"),
    Clean(_names("subprocess."), "", "python", "by hand at 3.11"),
    Clean(_names("redis."), "", "redis", "live at 8.1.0, with Retry"),
    Clean(_names("pymongo."), "", "pymongo", "by hand at 4.20.1, choosing a server and waiting for an answer"),
    Clean(_names("kombu."), "", "kombu", "live at 5.7.0: publish with retry over AMQP; by hand over Redis"),
    Clean(_names("psycopg."), "", "psycopg", "by hand at 3.3.9"),
    Clean(_names("sqlalchemy."), "", "sqlalchemy", "by hand at 2.1.9, connecting and in a hook of the cursor"),
    Clean(_names("django.dispatch.Signal().send"), "", "django", "live at 5.2"),
    Clean(_names("django.core.management.call_command"), "", "django", "by hand at 5.2"),
    Clean(_names("django.core.mail."), "", "django", "by hand at 5.2, with fail_silently=True too"),
    Clean(_names("sentry_sdk."), "", "sentry-sdk", "by hand at 2.75.0: a transaction's body and flush"),
    Clean(_names("slack_sdk."), "", "slack-sdk", "by hand at 3.48.0"),
    Clean(_names("twilio."), "", "twilio", "by hand at 9.13.0"),
    Clean(_names("sendgrid."), "", "sendgrid", "by hand at 6.12.5"),
    Clean(_names("google.cloud.storage."), "", "google-cloud-storage", "by hand at 3.17.1, with the default retry"),
    Clean(_names("googleapiclient."), "", "google-api-python-client", "by hand at 2.202.0, with num_retries too"),
    Clean(_names("gspread."), "", "gspread", "by hand at 6.2.1"),
    Clean(_names("github."), "", "pygithub", "by hand at 2.10.0"),
    Clean(_names("jira."), "", "jira", "by hand at 3.10.5, with its default of three retries"),
    Clean(_names("paramiko."), "", "paramiko", "by hand at 5.1.0, connecting"),
)
