"""Sixty made-up keys in thirty formats, each in a realistic line. Made at run time, so that no key stands in a file."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_ALNUM = string.ascii_letters + string.digits
_LOWER = string.ascii_lowercase + string.digits
_UPPER = string.ascii_uppercase + string.digits
_HEX = "0123456789abcdef"
_URL = _ALNUM + "-_"


@dataclass(frozen=True, slots=True)
class Sample:
    name: str  # the format
    extension: str  # of the file it stands in
    text: str
    secret: str


def _some(rng: random.Random, alphabet: str, count: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(count))


def _base64(rng: random.Random, count: int) -> str:
    return base64.b64encode(rng.randbytes(count)).decode()


def _jwt(rng: random.Random) -> str:
    parts = [json.dumps({"alg": "HS256", "typ": "JWT"}), json.dumps({"sub": _some(rng, _LOWER, 12), "iat": 1700000000})]
    encoded = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, _some(rng, _URL, 43)])


def _uuid(rng: random.Random) -> str:
    return "-".join(_some(rng, _HEX, count) for count in (8, 4, 4, 4, 12))


def _pem(kind: str) -> Callable[[random.Random], str]:
    def make(rng: random.Random) -> str:
        body = _base64(rng, 480)
        lines = [body[start : start + 64] for start in range(0, len(body), 64)]
        return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])

    return make


def _password(rng: random.Random) -> str:
    return (
        _some(rng, string.ascii_letters, 5)
        + _some(rng, string.digits, 3)
        + _some(rng, "!%*+-_", 1)
        + _some(rng, _ALNUM, 5)
    )


# Format -> how its key is made, and the two lines it is put into, each with the extension of its file.
_FORMATS: dict[str, tuple[Callable[[random.Random], str], tuple[str, str], tuple[str, str]]] = {
    "AWS access key id": (
        lambda r: "AKIA" + _some(r, string.ascii_uppercase + "234567", 16),
        (".ini", "[default]\naws_access_key_id = {}\nregion = eu-west-1\n"),
        (".py", 'session = boto3.Session(aws_access_key_id="{}")\n'),
    ),
    "AWS secret access key": (
        lambda r: _some(r, _ALNUM + "+/", 40),
        (".ini", "aws_secret_access_key = {}\n"),
        (".sh", 'export AWS_SECRET_ACCESS_KEY="{}"\n'),
    ),
    "GitHub personal token": (
        lambda r: "ghp_" + _some(r, _ALNUM, 36),
        (".yml", "env:\n  GITHUB_TOKEN: {}\n"),
        (".diff", "@@ -1 +1 @@\n-client = connect()\n+client = connect('{}')\n"),
    ),
    "GitHub fine-grained token": (
        lambda r: "github_pat_" + _some(r, _ALNUM, 22) + "_" + _some(r, _ALNUM, 59),
        (".sh", "curl -H 'Authorization: Bearer {}' https://api.github.com/user\n"),
        (".md", "The bot signs in with `{}` for now.\n"),
    ),
    "GitHub server token": (
        lambda r: "ghs_" + _some(r, _ALNUM, 36),
        (".go", 'const token = "{}"\n'),
        (".json", '{{"installation": {{"token": "{}"}}}}\n'),
    ),
    "GitLab token": (
        lambda r: "glpat-" + _some(r, _URL, 20),
        (".toml", 'private_token = "{}"\n'),
        (".rb", "Gitlab.private_token = '{}'\n"),
    ),
    "Slack bot token": (
        lambda r: f"xoxb-{_some(r, string.digits, 12)}-{_some(r, string.digits, 12)}-{_some(r, _ALNUM, 24)}",
        (".js", 'const app = new App({{ token: "{}" }});\n'),
        (".env", "SLACK_BOT_TOKEN={}\n"),
    ),
    "Slack webhook": (
        lambda r: f"T{_some(r, _UPPER, 8)}/B{_some(r, _UPPER, 10)}/{_some(r, _ALNUM, 24)}",
        (".yml", "webhook: https://hooks.slack.com/services/{}\n"),
        (".py", 'requests.post("https://hooks.slack.com/services/{}", json=body)\n'),
    ),
    "Stripe live key": (
        lambda r: "sk_live_" + _some(r, _ALNUM, 24),
        (".php", "\\Stripe\\Stripe::setApiKey('{}');\n"),
        (".ts", 'export const stripe = new Stripe("{}", options);\n'),
    ),
    "Google API key": (
        lambda r: "AIza" + _some(r, _URL, 35),
        (".xml", '<meta-data android:name="com.google.android.geo.API_KEY" android:value="{}"/>\n'),
        (".js", 'fetch("https://maps.googleapis.com/maps/api/js?key={}")\n'),
    ),
    "GCP service account": (
        lambda r: _pem("PRIVATE KEY")(r).replace("\n", "\\n"),
        (".json", '{{\n  "type": "service_account",\n  "private_key": "{}\\n"\n}}\n'),
        (".py", 'info = {{"type": "service_account", "private_key": "{}\\n"}}\n'),
    ),
    "OpenAI key": (
        lambda r: "sk-proj-" + _some(r, _URL, 74) + "T3BlbkFJ" + _some(r, _URL, 74),
        (".py", 'client = OpenAI(api_key="{}")\n'),
        (".env", "OPENAI_API_KEY={}\n"),
    ),
    "Anthropic key": (
        lambda r: "sk-ant-api03-" + _some(r, _URL, 93) + "AA",
        (".toml", 'anthropic_key = "{}"\n'),
        (".lua", 'local key = "{}"\n'),
    ),
    "npm token": (
        lambda r: "npm_" + _some(r, _ALNUM, 36),
        (".npmrc", "//registry.example.org/:_authToken={}\n"),
        (".yml", "  NODE_AUTH_TOKEN: {}\n"),
    ),
    "PyPI token": (
        lambda r: "pypi-AgEIcHlwaS5vcmc" + _some(r, _URL, 150),
        (".ini", "[pypi]\nusername = __token__\npassword = {}\n"),
        (".sh", "twine upload -u __token__ -p {} dist/*\n"),
    ),
    "Twilio key": (
        lambda r: "SK" + _some(r, _HEX, 32),
        (".java", 'Twilio.init("{}", secret);\n'),
        (".properties", "twilio.api.key={}\n"),
    ),
    "SendGrid key": (
        lambda r: f"SG.{_some(r, _URL, 22)}.{_some(r, _URL, 43)}",
        (".cs", 'var client = new SendGridClient("{}");\n'),
        (".yaml", "sendgrid:\n  key: {}\n"),
    ),
    "Mailgun key": (
        lambda r: "key-" + _some(r, _HEX, 32),
        (".py", 'mailgun = Mailgun(domain, api_key="{}")\n'),
        (".env", "MAILGUN_API_KEY={}\n"),
    ),
    "Telegram bot token": (
        lambda r: _some(r, "123456789", 10) + ":AA" + _some(r, _URL, 33),
        (".go", 'bot, err := telegram.NewBot("{}")\n'),
        (".sh", "curl https://api.telegram.org/bot{}/getMe\n"),
    ),
    "Discord bot token": (
        lambda r: f"MT{_some(r, _ALNUM, 24)}.G{_some(r, _ALNUM, 5)}.{_some(r, _URL, 38)}",
        (".js", 'discord.login("{}");\n'),
        (".env", "DISCORD_TOKEN={}\n"),
    ),
    "Azure storage key": (
        lambda r: _base64(r, 64),
        (".config", '<add value="DefaultEndpointsProtocol=https;AccountName=logs;AccountKey={};EndpointSuffix=x"/>\n'),
        (".env", "AZURE_STORAGE_KEY={}\n"),
    ),
    "JSON web token": (
        _jwt,
        (".http", "GET /v1/me HTTP/1.1\nAuthorization: Bearer {}\n"),
        (".ts", "const session = '{}';\n"),
    ),
    "password in a URL": (
        _password,
        (".env", "DATABASE_URL=postgres://app:{}@db.internal:5432/app\n"),
        (".yml", "broker: amqp://worker:{}@mq.internal:5672//\n"),
    ),
    "password": (
        _password,
        (".py", 'DATABASES = {{"default": {{"USER": "app", "PASSWORD": "{}"}}}}\n'),
        (".properties", "spring.datasource.password={}\n"),
    ),
    "API key, no vendor": (
        lambda r: _some(r, _HEX, 32),
        (".yaml", "search:\n  api_key: {}\n"),
        (".rs", 'let api_key = "{}";\n'),
    ),
    "Hugging Face token": (
        lambda r: "hf_" + _some(r, string.ascii_letters, 34),
        (".py", 'login(token="{}")\n'),
        (".md", "    export HF_TOKEN={}\n"),
    ),
    "DigitalOcean token": (
        lambda r: "dop_v1_" + _some(r, _HEX, 64),
        (".tf", 'provider "digitalocean" {{\n  token = "{}"\n}}\n'),
        (".sh", "doctl auth init -t {}\n"),
    ),
    "Heroku key": (
        _uuid,
        (".sh", "export HEROKU_API_KEY={}\n"),
        (".json", '{{"heroku_api_key": "{}"}}\n'),
    ),
    "Databricks and Shopify tokens": (
        lambda r: r.choice(("dapi", "shpat_")) + _some(r, _HEX, 32),
        (".scala", 'val token = "{}"\n'),
        (".cfg", "access_token = {}\n"),
    ),
    "private key block": (
        lambda r: _pem(r.choice(("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY")))(r),
        (".pem", "{}\n"),
        (".md", "The staging key:\n\n```\n{}\n```\n"),
    ),
}


def samples(seed: int = 20) -> Iterator[Sample]:
    """Two keys of every format: sixty, the same for the same seed."""
    rng = random.Random(seed)
    for name, (make, *places) in _FORMATS.items():
        for extension, template in places:
            secret = make(rng)
            yield Sample(name, extension, template.format(secret), secret)
