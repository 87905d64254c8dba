"""The stack: valid, within its caps, and open where it must be and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import cfnlint.api
import pytest
import yaml
from cfnlint.config import ManualArgs

from compiler.deploy.code import ALIAS
from query_fn.handler import settings_from
from tests.workflow import ROOT

FILE = ROOT / "query_fn" / "template.yaml"


class _Loader(yaml.SafeLoader):
    """Reads ``!Ref x`` and its like as ``{"!Ref": x}``."""


def _short(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    kinds = {yaml.ScalarNode: loader.construct_scalar, yaml.SequenceNode: loader.construct_sequence}
    read: Any = kinds.get(type(node), loader.construct_mapping)
    return {f"!{suffix}": read(node) if isinstance(node, yaml.ScalarNode) else read(node, deep=True)}


_Loader.add_multi_constructor("!", _short)
TEMPLATE: dict[str, Any] = yaml.load(FILE.read_text("utf-8"), Loader=_Loader)
RESOURCES: dict[str, dict[str, Any]] = TEMPLATE["Resources"]
VARIABLES: dict[str, Any] = RESOURCES["Answers"]["Properties"]["Environment"]["Variables"]
SOURCES = [ROOT / "query_fn" / f"{name}.py" for name in ("handler", "environment", "runtime")]


def of(kind: str) -> dict[str, dict[str, Any]]:
    """Return the properties of all resources of a kind, by name."""
    return {name: r["Properties"] for name, r in RESOURCES.items() if r["Type"] == kind}


def statements() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every statement of every policy with the name of its resource."""

    def walk(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict):
            if "Effect" in value:
                yield value
            for inner in value.values():
                yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)

    for name, resource in RESOURCES.items():
        for statement in walk(resource):
            yield name, statement


def listed(value: Any) -> list[Any]:
    """Return a value that may be one or many as a list."""
    return value if isinstance(value, list) else [value]


def test_cloudformation_takes_it() -> None:
    """cfn-lint, with the rules that `sam validate --lint` runs, finds nothing."""
    found = cfnlint.api.lint(FILE.read_text("utf-8"), config=ManualArgs(regions=["eu-west-1"]))
    assert [f"{m.linenumber}: {m.message}" for m in found] == []


def test_no_bucket_is_public() -> None:
    """Every bucket refuses public lists and policies and is encrypted."""
    buckets = of("AWS::S3::Bucket")
    assert set(buckets) == {"Builds", "Site"}
    for bucket in buckets.values():
        assert all(bucket["PublicAccessBlockConfiguration"].values())
        assert len(bucket["PublicAccessBlockConfiguration"]) == 4
        assert bucket["BucketEncryption"]


def test_only_the_function_url_is_open_to_everybody() -> None:
    """What everybody may do is call the function's URL, where the door's secret is asked for; all else is denied."""
    everybody = [(name, s["Effect"]) for name, s in statements() if s.get("Principal") == "*"]
    assert {effect for _, effect in everybody} == {"Deny"}
    permissions = of("AWS::Lambda::Permission")
    open_to_all = {name for name, p in permissions.items() if p["Principal"] == "*"}
    assert open_to_all == {"AddressPermission", "AddressInvocation"}
    assert all(
        p.get("FunctionUrlAuthType") or p.get("InvokedViaFunctionUrl") for p in (permissions[n] for n in open_to_all)
    )
    door = of("AWS::Serverless::Function")["Answers"]["Environment"]["Variables"]["GEOSMIN_DOOR"]
    assert door == {"!If": ["ByCloudFront", {"!Ref": "DoorSecret"}, {"!Ref": "AWS::NoValue"}]}
    origins = of("AWS::CloudFront::Distribution")["Distribution"]["DistributionConfig"]["Origins"]
    assert origins[1]["OriginCustomHeaders"] == [
        {"HeaderName": "x-geosmin-door", "HeaderValue": {"!Ref": "DoorSecret"}}
    ]


def test_no_role_may_do_everything() -> None:
    """Allowed are named actions on named resources."""
    allowed = [(name, s) for name, s in statements() if s["Effect"] == "Allow" and "Resource" in s]
    assert len(allowed) > 8
    for name, statement in allowed:
        assert not [a for a in listed(statement["Action"]) if a.endswith("*")], name
        assert "*" not in listed(statement["Resource"]), name


def test_the_function_cannot_write_its_own_builds() -> None:
    """It reads what was published and counts; it reads no paid answers and no code, and writes no artifact."""
    mine = [s for name, s in statements() if name == "FunctionRole" and "Resource" in s]
    actions = {action for statement in mine for action in listed(statement["Action"])}
    assert actions == {
        "s3:GetObject", "s3:ListBucket", "dynamodb:GetItem", "dynamodb:UpdateItem", "logs:CreateLogStream", "logs:PutLogEvents",
    }  # fmt: skip
    (reads,) = (s for s in mine if s["Action"] == "s3:GetObject")
    assert reads["Resource"] == [{"!Sub": "${Builds.Arn}/wiki/current"}, {"!Sub": "${Builds.Arn}/wiki/builds/*"}]


def test_only_one_workflow_may_deploy() -> None:
    """The role is for one environment of one repository, exactly; no key of a person exists."""
    trust = of("AWS::IAM::Role")["DeployRole"]["AssumeRolePolicyDocument"]["Statement"][0]
    assert trust["Condition"] == {
        "StringEquals": {
            "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
            "token.actions.githubusercontent.com:sub": {"!Sub": "repo:${Repository}:environment:${Environment}"},
        }
    }
    assert not of("AWS::IAM::User") and not of("AWS::IAM::AccessKey")


def test_everything_that_costs_has_a_cap() -> None:
    """Memory, containers, time and the day's budget are bounded, and log lines and paths of requests end."""
    function = of("AWS::Serverless::Function")["Answers"]
    parameters = TEMPLATE["Parameters"]
    assert function["Architectures"] == ["arm64"]
    assert function["ReservedConcurrentExecutions"] == {"!Ref": "Concurrency"}
    assert parameters["Concurrency"]["MaxValue"] <= 100 and parameters["Memory"]["MaxValue"] <= 3008
    assert int(function["Environment"]["Variables"]["GEOSMIN_DEADLINE_SECONDS"]) < function["Timeout"] < 30
    assert of("AWS::Logs::LogGroup")["Log"]["RetentionInDays"] == {"!Ref": "LogDays"}


def test_secrets_are_not_shown() -> None:
    """Whatever is secret is a parameter that CloudFormation does not echo, without a default that would work."""
    secret = {"DoorSecret", "ConversationSecret", "AnthropicKey", "GitHubToken"}
    assert {name for name, p in TEMPLATE["Parameters"].items() if p.get("NoEcho")} == secret
    assert not [name for name in secret if TEMPLATE["Parameters"][name].get("Default")]


@pytest.mark.parametrize("name", ["Overdue", "Errors", "Throttles", "Spending"])
def test_alarms_reach_somebody(name: str) -> None:
    """Each alarm goes to the topic; that of overdue pages also sounds when nothing is heard."""
    alarm = of("AWS::CloudWatch::Alarm")[name]
    assert alarm["AlarmActions"] == [{"!Ref": "Alarms"}]
    assert alarm["TreatMissingData"] == ("breaching" if name == "Overdue" else "notBreaching")


def test_no_update_of_the_stack_leads_readers_to_other_code() -> None:
    """The alias is made once and nothing of it can change: `geosmin deploy` alone moves it, after a trial."""
    assert "AutoPublishAlias" not in of("AWS::Serverless::Function")["Answers"]
    assert of("AWS::Lambda::Version")["First"] == {"FunctionName": {"!Ref": "Answers"}}
    assert of("AWS::Lambda::Alias")["Live"] == {
        "FunctionName": {"!Ref": "Answers"}, "FunctionVersion": {"!GetAtt": "First.Version"}, "Name": ALIAS,
    }  # fmt: skip
    called = {name: p["FunctionName"] for name, p in of("AWS::Lambda::Permission").items()}
    assert all(target == {"!Ref": "Live"} for target in called.values()), called


NOT_ASKED = {
    "GEOSMIN_OFF": "an item of the table stops everything within 30 seconds, a stack update takes minutes",
    "GEOSMIN_MODEL": "the bundle holds the model",
    "GEOSMIN_REFRESH_SECONDS": "a minute suits every deployment",
    "GEOSMIN_STREAM_REST": "the stack has no REST API",
    "GEOSMIN_CACHED_ANSWERS": "goes with the memory",
    "GEOSMIN_CONVERSATION_SECONDS": "a day suits every reader",
    "GEOSMIN_TOOLS_OFF": "for experiments",
    "GEOSMIN_MAX_BODY_BYTES": "a limit of the format",
    "GEOSMIN_MAX_QUESTION_CHARS": "a limit of the format",
    "GEOSMIN_RETRIEVAL_ROUNDS": "for experiments",
    "GEOSMIN_MAX_STEPS": "goes with the deadline",
    "GEOSMIN_MAX_INPUT_TOKENS": "MaxUsd bounds it",
    "GEOSMIN_MAX_OUTPUT_TOKENS": "MaxUsd bounds it",
    "GEOSMIN_CHAT_PROVIDER": "Bedrock needs rights of its own in the role",
    "GEOSMIN_CHAT_MODEL": "another model comes with its price, and bench/README.md has measured this one",
    "GEOSMIN_CHAT_PRICE": "goes with the model",
    "GEOSMIN_CHAT_GRADER": "a second model comes with its price",
    "GEOSMIN_CHAT_GRADER_PRICE": "goes with the grader",
}


def test_every_setting_can_be_given_or_has_a_reason() -> None:
    """Each variable that the function reads is in the handbook, and is set by the stack or stands in the short list."""
    read = {name for path in SOURCES for name in re.findall(r'"(GEOSMIN_[A-Z_]+)"', path.read_text("utf-8"))}
    given = {name for name in VARIABLES if name.startswith("GEOSMIN_")}
    assert read - given == set(NOT_ASKED)
    for lang in ("en", "zh"):
        page = (ROOT / "content" / lang / "13-function.md").read_text("utf-8")
        assert [name for name in sorted(read) if f"`{name}`" not in page and f"`{name}=1`" not in page] == []


def test_every_parameter_is_used() -> None:
    """What the owner is asked for has an effect."""
    text = FILE.read_text("utf-8").split("Conditions:", 1)[1]
    assert [name for name in TEMPLATE["Parameters"] if not re.search(rf"(!Ref |\$\{{){name}\b", text)] == []


def test_what_the_parameters_say_is_what_the_function_does() -> None:
    """The defaults of the stack, as the function reads them, are those of the function, but for what an owner pays."""
    parameters = {name: str(parameter.get("Default", "")) for name, parameter in TEMPLATE["Parameters"].items()}
    plain = {n: v if isinstance(v, str) else parameters.get(v.get("!Ref", ""), "") for n, v in VARIABLES.items()}
    secret = {"GEOSMIN_CONVERSATION_SECRET": "0123456789abcdef" * 2}
    found, default = settings_from({**plain, **secret}), settings_from(secret)
    changed = {name for name in default.__slots__ if getattr(found, name) != getattr(default, name)}
    assert changed == {"day_usd", "rate_per_minute"}


def test_the_function_knows_every_variable() -> None:
    """The environment of the stack is one that the function starts with, and names no variable that it never reads."""
    given = of("AWS::Serverless::Function")["Answers"]["Environment"]["Variables"]
    source = "".join((ROOT / "query_fn" / name).read_text("utf-8") for name in ("handler.py", "environment.py"))
    assert [name for name in given if name.startswith("GEOSMIN_") and f'"{name}"' not in source] == []
    plain = {name: value for name, value in given.items() if isinstance(value, str)}
    assert settings_from(plain).deadline_seconds == 25
