"""Organisations, members, projects, and who may see what; every change is in the audit log."""

import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from clew.server.accounts import (
    NameTakenError,
    NoSuchNameError,
    create_member,
    create_organisation,
    disable_member,
    enable_member,
    list_members,
    list_organisations,
    require_member,
    require_organisation,
    scopes_of,
    set_organisation,
    set_quota,
    set_role,
)
from clew.server.audit import audit_read, list_audit
from clew.server.authenticate import authenticate
from clew.server.devices import (
    NoSuchDeviceError,
    delete_old_credentials,
    issue_token,
    list_devices,
    register_device,
    revoke_device,
    revoke_token,
)
from clew.server.links import (
    DisabledMemberError,
    LinkOverError,
    make_link,
    read_link,
    use_link,
)
from clew.server.names import BadNameError
from clew.server.passwords import (
    LoginThrottle,
    TooManyTriesError,
    WeakPasswordError,
    check_password,
    set_password,
)
from clew.server.principal import Principal, Role
from clew.server.projects import (
    OtherOrganisationError,
    add_project_member,
    create_project,
    list_team_projects,
    remove_project_member,
    require_project,
    set_project_retention,
)
from clew.server.rate_limits import RateLimit
from clew.server.tokens import TokenKind
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation


def principal_of(team: TeamDatabase, name: str) -> Principal:
    member = require_member(team, name)
    token = issue_token(team, TokenKind.BROWSER, member.id, hours=1)
    found = authenticate(team, token, TokenKind.BROWSER)
    assert found is not None
    return found


def test_scopes_follow_members_projects_and_roles(team: TeamDatabase) -> None:
    acme, other = create_organisation(team, "acme"), create_organisation(team, "other")
    ada = create_member(team, acme.id, "Ada", display_name="Ada Lovelace")
    bob = create_member(team, acme.id, "bob", by=ada.id)
    eve = create_member(team, other.id, "eve", Role.AUDITOR)
    api = create_project(team, acme.id, "github.com/acme/api", by=ada.id)
    create_project(team, acme.id, "web")
    create_project(team, other.id, "web")

    assert (ada.name, ada.display_name, ada.role) == ("ada", "Ada Lovelace", Role.MEMBER)
    assert [one.name for one in list_organisations(team)] == ["acme", "other"]
    assert [one.name for one in list_members(team, acme.id)] == ["ada", "bob"]
    assert len(scopes_of(team, principal_of(team, "ada"))) == 2
    common = set(scopes_of(team, principal_of(team, "ada")))
    common &= set(scopes_of(team, principal_of(team, "bob")))
    assert len(common) == 1  # the organisation's

    add_project_member(team, api, bob, by=ada.id)
    add_project_member(team, api, bob, by=ada.id)
    assert api.scope_id in scopes_of(team, principal_of(team, "bob"))
    assert api.scope_id not in scopes_of(team, principal_of(team, "ada"))
    assert require_project(team, acme.id, api.name).members == 1
    remove_project_member(team, api, bob)
    assert api.scope_id not in scopes_of(team, principal_of(team, "bob"))

    set_role(team, ada, Role.AUDITOR, by=bob.id)
    assert len(scopes_of(team, principal_of(team, "ada"))) == 5
    assert len(scopes_of(team, principal_of(team, "eve"))) == 3
    assert not set(scopes_of(team, principal_of(team, "ada"))) & set(
        scopes_of(team, principal_of(team, "eve"))
    )
    set_role(team, ada, Role.ADMIN)
    assert len(scopes_of(team, principal_of(team, "ada"))) == 2
    with pytest.raises(OtherOrganisationError):
        add_project_member(team, api, eve)


def test_names_are_unique_and_cannot_deceive(team: TeamDatabase) -> None:
    acme, other = create_organisation(team, "acme"), create_organisation(team, "other")
    create_member(team, acme.id, "ada")
    create_project(team, acme.id, "api")

    with pytest.raises(NameTakenError):
        create_organisation(team, "acme ")
    with pytest.raises(NameTakenError):
        create_member(team, other.id, "ADA")
    with pytest.raises(NameTakenError):
        create_project(team, acme.id, "api")
    for name in ("", "\u0430da", "a da", "a\nda", "-ada", "a" * 101, "ada\0"):
        with pytest.raises(BadNameError):
            create_member(team, acme.id, name)
    for name in (" ", "a\nb", "a\u202eb", "a" * 201, "a\0b"):
        with pytest.raises(BadNameError):
            create_project(team, acme.id, name)
    assert require_member(team, "Ada", acme.id).name == "ada"
    with pytest.raises(NoSuchNameError):
        require_member(team, "ada", other.id)
    with pytest.raises(NoSuchNameError):
        require_project(team, other.id, "api")
    with pytest.raises(NoSuchNameError):
        require_organisation(team, "nobody")


def test_a_token_lets_in_until_anything_of_it_ends(team: TeamDatabase) -> None:
    acme = create_organisation(team, "acme")
    ada = create_member(team, acme.id, "ada")
    first = register_device(team, acme.id, ada.id, "laptop", by=ada.id)
    second = register_device(team, acme.id, ada.id, "desktop", by=ada.id)

    assert authenticate(team, first.token) == Principal(
        ada.id, acme.id, "acme", "ada", Role.MEMBER, first.device_id
    )
    assert [device.last_seen_at is None for device in list_devices(team, acme.id)] == [False, True]
    assert authenticate(team, first.token, TokenKind.BROWSER) is None
    for wrong in ("", first.token + "x", first.token[:-1], "clew_", "x" * 10_000, "clew_\0"):
        assert authenticate(team, wrong) is None

    disable_member(team, ada)
    assert authenticate(team, first.token) is None
    enable_member(team, ada)
    assert authenticate(team, first.token) is not None

    other = create_organisation(team, "other")
    with pytest.raises(NoSuchDeviceError):
        revoke_device(team, other.id, first.device_id)
    revoke_device(team, acme.id, first.device_id, by=ada.id)
    assert authenticate(team, first.token) is None
    assert authenticate(team, second.token) is not None
    revoke_token(team, second.token, TokenKind.BROWSER)
    assert authenticate(team, second.token) is not None
    revoke_token(team, second.token)
    assert authenticate(team, second.token) is None

    over = issue_token(team, TokenKind.BROWSER, ada.id, hours=-1)
    assert authenticate(team, over, TokenKind.BROWSER) is None
    link = make_link(team, TokenKind.RESET, ada)
    assert authenticate(team, link) is None
    assert authenticate(team, link, TokenKind.RESET) is not None  # callers name what they accept


def test_no_token_is_stored(team: TeamDatabase) -> None:
    acme = create_organisation(team, "acme")
    ada = create_member(team, acme.id, "ada")
    issued = register_device(team, acme.id, ada.id, "laptop")
    link = make_link(team, TokenKind.INVITE, ada)
    set_password(team, ada, "correct horse battery")

    rows = team.connection.execute(
        b"SELECT credential::text || member::text || device::text FROM credential "
        b"JOIN member ON member.id = member_id LEFT JOIN device ON device.id = device_id"
    ).fetchall()
    text = repr(rows)
    assert not any(secret in text for secret in (issued.token, link, "correct horse"))


def test_links_are_used_once_and_the_latest_counts(team: TeamDatabase) -> None:
    acme = create_organisation(team, "acme")
    ada = create_member(team, acme.id, "ada")
    first = make_link(team, TokenKind.INVITE, ada)
    second = make_link(team, TokenKind.INVITE, ada)

    with pytest.raises(LinkOverError):
        read_link(team, TokenKind.INVITE, first)
    with pytest.raises(LinkOverError):
        read_link(team, TokenKind.RESET, second)
    assert read_link(team, TokenKind.INVITE, second).id == ada.id
    assert use_link(team, TokenKind.INVITE, second).id == ada.id
    for use in (read_link, use_link):
        with pytest.raises(LinkOverError):
            use(team, TokenKind.INVITE, second)

    third = make_link(team, TokenKind.RESET, ada)
    disable_member(team, ada)
    with pytest.raises(LinkOverError):
        use_link(team, TokenKind.RESET, third)
    with pytest.raises(DisabledMemberError):
        make_link(team, TokenKind.RESET, require_member(team, "ada"))
    over = issue_token(team, TokenKind.INVITE, ada.id, hours=-1)
    enable_member(team, ada)
    with pytest.raises(LinkOverError):
        use_link(team, TokenKind.INVITE, over)


def test_of_all_who_use_a_link_at_once_one_succeeds(
    team_location: PostgresLocation, team: TeamDatabase
) -> None:
    ada = create_member(team, create_organisation(team, "acme").id, "ada")
    link = make_link(team, TokenKind.INVITE, ada)
    start = threading.Barrier(4)

    def use() -> bool:
        with open_team(team_location) as own:
            start.wait(60)
            try:
                use_link(own, TokenKind.INVITE, link)
            except LinkOverError:
                return False
        return True

    with ThreadPoolExecutor(4) as threads:
        used = [threads.submit(use) for _ in range(4)]
    assert sorted(each.result() for each in used) == [False, False, False, True]


def test_tokens_of_long_ago_are_deleted(
    team_location: PostgresLocation, team: TeamDatabase
) -> None:
    acme = create_organisation(team, "acme")
    ada = create_member(team, acme.id, "ada")
    device = register_device(team, acme.id, ada.id, "laptop")
    for hours in (-24 * 31, -24, 24):
        issue_token(team, TokenKind.BROWSER, ada.id, hours=hours)

    assert delete_old_credentials(team_location) == 1
    assert delete_old_credentials(team_location) == 0
    assert authenticate(team, device.token) is not None


def test_passwords_are_checked_and_log_browsers_out(team: TeamDatabase) -> None:
    acme = create_organisation(team, "acme")
    ada = create_member(team, acme.id, "ada")
    browser = issue_token(team, TokenKind.BROWSER, ada.id, hours=1)
    device = register_device(team, acme.id, ada.id, "laptop")

    assert check_password(team, "ada", "") is None
    for weak in ("short", "aaaaaaaaaaaaaaaa", "x" * 5_000):
        with pytest.raises(WeakPasswordError):
            set_password(team, ada, weak)
    set_password(team, ada, "correct horse battery")
    assert check_password(team, " Ada", "correct horse battery") == ada.id
    assert check_password(team, "ada", "correct horse batterY") is None
    assert check_password(team, "bob", "correct horse battery") is None
    assert authenticate(team, browser, TokenKind.BROWSER) is None
    assert authenticate(team, device.token) is not None
    disable_member(team, ada)
    assert check_password(team, "ada", "correct horse battery") is None
    enable_member(team, ada)
    set_password(team, ada, "schöne neue Welt")
    assert check_password(team, "ada", "scho\u0308ne neue Welt") == ada.id


def test_guesses_are_slowed_down_by_name_and_address() -> None:
    throttle = LoginThrottle()
    for _ in range(5):
        throttle.count("ada", "10.0.0.1")
    with pytest.raises(TooManyTriesError) as caught:
        throttle.count("ada", "10.0.0.1")
    assert 0 < caught.value.seconds <= 60
    throttle.count("ada", "10.0.0.2")
    throttle.forget("ada", "10.0.0.1")
    throttle.count("ada", "10.0.0.1")
    for number in range(300):
        throttle.count(f"member{number}", "10.0.0.3")
        throttle.forget(f"member{number}", "10.0.0.3")
    for number in range(30):
        throttle.count(f"member{number}", "10.0.0.3")
    with pytest.raises(TooManyTriesError):
        throttle.count("bob", "10.0.0.3")
    for number in range(100):
        throttle.count("eve", f"10.1.0.{number}")
    with pytest.raises(TooManyTriesError):
        throttle.count("eve", "10.0.0.4")


def test_a_rate_limit_allows_a_burst_and_then_a_pace() -> None:
    now = [100.0]
    limit = RateLimit(3, 30, clock=lambda: now[0])

    assert [limit.count("a") for _ in range(4)] == [0, 0, 0, 10]
    assert limit.count("b") == 0
    now[0] += 10
    assert (limit.count("a"), limit.count("a")) == (0, 10)
    limit.refund("a")
    limit.refund("nobody")
    assert (limit.count("a"), limit.count("a")) == (0, 10)
    now[0] += 1000
    assert [limit.count("a") for _ in range(4)] == [0, 0, 0, 10]


def test_every_change_is_in_the_audit_log(team: TeamDatabase) -> None:
    acme, other = create_organisation(team, "acme"), create_organisation(team, "other")
    ada = create_member(team, acme.id, "ada", Role.ADMIN)
    bob = create_member(team, acme.id, "bob", by=ada.id)
    set_role(team, bob, Role.LEAD, by=ada.id)
    set_quota(team, bob, 5_000, by=ada.id)
    changed = msgspec.structs.replace(acme, shows_members=True, retention_days=90)
    set_organisation(team, changed, by=ada.id)
    project = create_project(team, acme.id, "api", by=ada.id)
    set_project_retention(team, project, 30, by=ada.id)
    device = register_device(team, acme.id, bob.id, "laptop", by=bob.id)
    audit_read(team, principal_of(team, "ada"), "session.read", bob.id, "s1")
    audit_read(team, principal_of(team, "bob"), "session.read", bob.id, "s1")
    disable_member(team, bob, by=ada.id)

    events = list_audit(team, acme.id)
    assert [(event.action, event.actor, event.owner) for event in events] == [
        ("member.disable", "ada", "bob"),
        ("session.read", "ada", "bob"),
        ("device.add", "bob", "bob"),
        ("project.retention", "ada", None),
        ("project.create", "ada", None),
        ("organisation.set", "ada", None),
        ("member.quota", "ada", "bob"),
        ("member.role", "ada", "bob"),
        ("member.create", "ada", "bob"),
        ("member.create", None, "ada"),
        ("organisation.create", None, None),
    ]
    assert (events[1].session_id, events[2].device, events[7].detail) == (
        "s1",
        "laptop",
        "member → lead",
    )
    assert list_audit(team, acme.id, before=events[0].id, maximum=1) == [events[1]]
    assert [e.action for e in list_audit(team, other.id)] == ["organisation.create"]
    assert len(list_audit(team, acme.id, member_id=bob.id)) == 6
    assert require_organisation(team, "acme").shows_members
    assert list_team_projects(team, acme.id)[0].retention_days == 30
    assert device.device_id
