import boto3
import elasticsearch
import opensearchpy
import strike
import stripe

BUCKETS = {"region_name": "us-east-1", "aws_access_key_id": "x", "aws_secret_access_key": "x"}


@strike.probe("botocore", "boto3.client().list_buckets")
def buckets(server):
    client = boto3.client("s3", endpoint_url=server.url, **BUCKETS)
    return client.list_buckets


@strike.probe("botocore", "boto3.client().upload_file")
def upload(server):
    client = boto3.client("s3", endpoint_url=server.url, **BUCKETS)
    return lambda: client.upload_file(__file__, "bucket", "key")


@strike.probe("elasticsearch", "elasticsearch.Elasticsearch().search")
def elasticsearch_search(server):
    client = elasticsearch.Elasticsearch(server.url)
    return lambda: client.search(index="x")


@strike.probe("elasticsearch", "elasticsearch.Elasticsearch().search", max_retries=0)
def elasticsearch_search_without_retries(server):
    client = elasticsearch.Elasticsearch(server.url, max_retries=0)
    return lambda: client.search(index="x")


@strike.probe("opensearch-py", "opensearchpy.OpenSearch().search")
def opensearch_search(server):
    client = opensearchpy.OpenSearch(server.url)
    return lambda: client.search(index="x")


@strike.probe("opensearch-py", "opensearchpy.OpenSearch().search", max_retries=0)
def opensearch_search_without_retries(server):
    client = opensearchpy.OpenSearch(server.url, max_retries=0)
    return lambda: client.search(index="x")


@strike.probe("stripe", "stripe.Customer.list")
def customers(server):
    stripe.api_key = "x"
    stripe.api_base = server.url
    return stripe.Customer.list


strike.report()
