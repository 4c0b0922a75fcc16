"""Values beside telling names, in the languages, settings and commands that transcripts hold."""

import pytest

from clew.redact import Redactor

MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4"
HEX = "0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d0a9b8c7d"
PASSWORD = "hunter" + "2!xyz"

MASKED = [
    "password={}",
    "password: {}",
    'password = "{}"',
    "password='{}',",
    '"password": "{}"',
    '{{\\"password\\": \\"{}\\"}}',
    "&quot;password&quot;: &quot;{}&quot;",
    "DB_PASSWORD={}",
    "export DB_PASSWORD={}",
    'export PGPASSWORD="{}"',
    "$env:SMTP_PASS = '{}'",
    "spring.datasource.password={}",
    "Server=db;User Id=app;Password={};Encrypt=true",
    'let password: &str = "{}";',
    "const dbPassword: string = '{}'",
    "password := `{}`",
    "'password' => '{}',",
    "<password>{}</password>",
    "- name: DB_PASSWORD\n  value: {}",
    '{{"name": "DB_PASSWORD", "value": "{}"}}',
    'os.environ["DB_PASSWORD"] = "{}"',
    "mysql --password={} app",
    "mysql -u app -p{} app",
    "tool --password {} --verbose",
    "tool --password '{}'",
    "sshpass -p {} ssh host",
    "docker login -u app -p {} registry.internal",
    "echo {} | docker login -u app --password-stdin",
    "password: |\n  {}",
    "redis-cli -h cache -a {} ping",
    "curl -u app:{} https://service.internal/",
    "curl --user 'app:{}' https://service.internal/",
    "machine db.internal login app password {}",
    "postgres://app:{}@db.internal:5432/app",
    "amqp://:{}@queue.internal",
    "the password is {} for now",
    "| password | {} |",
    "\x1b[1mpassword:\x1b[0m\npassword={}",
    "12→DB_PASSWORD={}",
    "DB_PASSWORD={}\\nDB_HOST=db",
    "DB_PW={}",
    "PASS={}",
    "pw: {}",
    "the password is: {} for now",
    "ENV DB_PASSWORD {}",
    "?password%3D{}",
    'process.env.DB_PASSWORD || "{}"',
    'os.environ.get("DB_PASSWORD") or "{}"',
    "echo {} | sudo -S apt update",
    "echo 'root:{}' | chpasswd",
    "openssl rsa -in key.pem -passin pass:{}",
    "htpasswd -bc users app {}",
    "smbclient //host/share -U app%{}",
    "mongosh -u app -p {} --host db",
    "podman login -u app -p {} registry.internal",
    'ConvertTo-SecureString "{}" -AsPlainText -Force',
]
MASKED_TOKENS = [
    "API_KEY={}",
    'api_key: "{}"',
    "apiKey = '{}'",
    "SECRET_KEY={}",
    "SECRET_KEY_BASE={}",
    "AWS_SECRET_ACCESS_KEY={}",
    "aws_secret_access_key = {}",
    '"client_secret": "{}"',
    "access_token={}&expires_in=3600",
    "tool --api-key {}",
    "tool --token={}",
    "x-api-key: {}",
    'curl -H "X-Api-Key: {}"',
    "Authorization: Bearer {}",
    "Authorization: Basic {}",
    "authorization: token {}",
    '"Authorization": "Bearer {}"',
    "Bearer {}",
    "Cookie: session={}; theme=dark",
    "Set-Cookie: sid={}; Path=/; HttpOnly",
    "AccountName=app;AccountKey={};EndpointSuffix=net",
    "https://store.internal/c?sv=2024-01-01&sig={}",
    "//registry.internal/:_authToken={}",
    'localStorage.setItem("token", "{}")',
    'key = "{}"',
    "the token is {}.",
    "setx API_TOKEN {}",
    "npm config set //registry.internal/:_authToken {}",
    'gh secret set DEPLOY --body "{}"',
    "PHPSESSID={}",
    "JSESSIONID={}",
    "connect.sid={}",
]
KEPT = [
    "PASS=12 FAIL=3",
    "the token count of commit_message",
    'token: "main-branch-12"',
    "token 550e8400-e29b-41d4-a716-446655440000",
    "login -p 8080 to the port",
    "mongo -p 27017",
    "if not token or 'Bearer' in header",
    "pw or password",
    "pass: 12 fail: 3",
    "openssl enc -pass pass:password",
    "echo hello | sudo tee file",
    "password: some text that goes on",
    "password=",
    "pass: 12",
    "--- PASS: TestInstall/second_install_returns_0",
    "echo $TOKEN | docker login --password-stdin",
    "password: string",
    "password: str = None",
    "password=password",
    "password = get_password()",
    "password = user.password",
    "password: hashed_password,",
    'password: "Password is required"',
    'label: "Password"',
    '<input type="password" name="password">',
    "password=$DB_PASSWORD",
    "password=${DB_PASSWORD}",
    "password: {{ .Values.password }}",
    "password: <your password>",
    "password=changeme",
    "password=********",
    'password = "YOUR_PASSWORD"',
    "PWD=/srv/app1/data2",
    "token: string;",
    "token = os.environ['TOKEN1']",
    'api_key=os.environ["API_KEY"]',
    "apiKey: process.env.API_KEY_2",
    "API_KEY=YOUR_API_KEY",
    "API_KEY=<token>",
    "API_KEY=${{ secrets.API_KEY_1 }}",
    'api_key: "your-api-key-1234"',
    "max_tokens: 4096",
    "input_tokens=123456",
    '"nextPageToken": "CAUQAA12345678"',
    "token_type: bearer",
    "const token = await fetchToken2(user);",
    "privateKey: Uint8Array,",
    "secret: my-app-secret",
    "secretName: tls-cert-2",
    "key: user-42-settings",
    '"key": "Enter"',
    "cacheKey: " + HEX,
    '"publicKey": "' + MIXED * 2 + '"',
    "commit: " + HEX,
    "commit " + HEX,
    "sha = '" + HEX + "'",
    '"sessionId": "550e8400-e29b-41d4-a716-446655440000"',
    '"id": "' + MIXED * 2 + '"',
    '"signature": "' + MIXED * 8 + '"',
    "author: someone",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "use bearer authentication instead",
    "basic authentication",
    "Cookie: session=<id>",
    "cookies = parse(header)",
    "https://app.internal:8080/path@2",
    "postgres://user:password@localhost/app",
    "postgres://${USER}:${PASS}@localhost/app",
    "docker run -u 1000:1000 image",
    "git push -u origin:main",
    "mkdir -p src/deep/folder9",
    "op run --token op://vault/item/field1",
]


@pytest.mark.parametrize("form", MASKED)
def test_a_password_is_masked_and_what_is_around_it_stays(form: str) -> None:
    masked = Redactor().redact(form.format(PASSWORD))

    rule = "url-password" if "://" in form and "curl" not in form else "password"
    assert masked == form.format(f"[redacted: {rule} 1]")


@pytest.mark.parametrize("form", MASKED_TOKENS)
@pytest.mark.parametrize("token", [MIXED + "/xY+" + MIXED[:12], HEX])
def test_a_secret_beside_a_telling_name_is_masked(form: str, token: str) -> None:
    masked = Redactor().redact(form.format(token))

    assert token[:4] not in masked
    assert token[-4:] not in masked
    assert masked.count("[redacted: ") == 1


@pytest.mark.parametrize("text", KEPT)
def test_code_placeholders_and_open_values_stay(text: str) -> None:
    assert Redactor().redact(text) == text


@pytest.mark.parametrize("form", ["X_SETTING={}", "setting: '{}'", '"setting": "{}"'])
def test_a_long_random_value_is_masked_without_a_telling_name(form: str) -> None:
    masked = Redactor().redact(form.format(MIXED * 2))

    assert masked == form.format("[redacted: random-value 1]")


def test_a_token_that_is_the_user_of_an_address_is_masked() -> None:
    masked = Redactor().redact(f"git clone https://{HEX}@git.internal/app.git")

    assert masked == "git clone https://[redacted: url-password 1]@git.internal/app.git"


def test_a_secret_that_was_cut_short_is_masked_too() -> None:
    masked = Redactor().redact(f'api_key: "{MIXED[:20]}..."')

    assert MIXED[:4] not in masked


def test_a_word_is_a_password_where_it_stands_for_itself() -> None:
    texts = [
        "DB_PASSWORD=correcthorse",
        "tool --password correcthorse",
        '"password": "correcthorse"',
    ]

    assert not [text for text in texts if "correct" in Redactor().redact(text)]


def test_a_phrase_is_masked_where_a_variable_is_set() -> None:
    masked = Redactor().redact("VAULT_PASSPHRASE='correct horse battery'")

    assert masked == "VAULT_PASSPHRASE='[redacted: password 1]'"


def test_a_password_with_brackets_is_masked_in_whole_where_a_variable_is_set() -> None:
    masked = Redactor().redact("DB_PASSWORD=hun(ter)2,xyz{9}! deploy")

    assert masked == "DB_PASSWORD=[redacted: password 1] deploy"


def test_a_long_value_is_masked_to_its_end() -> None:
    masked = Redactor().redact(f"PASSWORD={'Ab1!' * 2000} after")

    assert masked == "PASSWORD=[redacted: password 1] after"


def test_a_password_that_a_mail_provider_made_is_masked_with_its_spaces() -> None:
    masked = Redactor().redact("SMTP_PASS=abcd efgh ijkl mnop\nPORT=25")

    assert masked == "SMTP_PASS=[redacted: password 1]\nPORT=25"


@pytest.mark.parametrize("text", ["the api token {} works", 'token "{}"', "secret `{}`"])
def test_a_long_random_word_behind_a_telling_one_is_masked(text: str) -> None:
    masked = Redactor().redact(text.format(HEX))

    assert masked == text.format("[redacted: secret 1]")


@pytest.mark.parametrize(
    ("text", "is_masked"),
    [
        ("password: 48151623", True),
        ("password: 481516", True),
        ("password: 48151", False),
        ("password: 42", False),
        ("| password | 251934 |", False),
    ],
)
def test_a_number_is_a_password_when_it_is_long(text: str, is_masked: bool) -> None:  # noqa: FBT001
    assert (Redactor().redact(text) != text) is is_masked


@pytest.mark.parametrize(
    ("value", "is_masked"), [("a1a1b2c3", True), ("a1a1b2b2", False), ("ab1ab1ab1ab1", False)]
)
def test_a_value_that_repeats_itself_is_no_secret(value: str, is_masked: bool) -> None:  # noqa: FBT001
    assert (value not in Redactor().redact(f'token: "{value}"')) is is_masked


def test_a_random_value_is_found_however_late_in_a_text() -> None:
    masked = Redactor().redact("word " * 400 + f'"handle": "{MIXED * 2}"')

    assert MIXED not in masked
