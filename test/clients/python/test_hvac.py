"""Tests of the common Python client of the secrets service, one per capability."""

import hvac
import pytest
from hvac import exceptions


@pytest.fixture
def connect(new_world):
    def make(**options):
        world = new_world(**options)
        secrets = world.services["secrets"]
        return hvac.Client(url=secrets["url"], token=secrets["token"]), world

    return make


def test_health(connect):
    client, _ = connect()
    assert client.sys.read_health_status(method="GET")["sealed"] is False
    assert client.is_authenticated()
    assert client.sys.is_initialized()


def test_init_unseal_seal(connect):
    client, _ = connect(secrets={"initialized": False})
    made = client.sys.initialize(secret_shares=3, secret_threshold=2)
    assert client.sys.submit_unseal_keys(made["keys"][:2])["sealed"] is False
    client.token = made["root_token"]
    assert client.is_authenticated()
    client.sys.seal()
    assert client.sys.is_sealed()


def test_rekey(connect):
    client, world = connect()
    keys = world.services["secrets"]["unsealKeys"]
    begun = client.sys.start_rekey(secret_shares=2, secret_threshold=2)
    for key in keys[: begun["required"]]:
        step = client.sys.rekey(key, nonce=begun["nonce"])
    assert step["complete"] and len(step["keys"]) == 2


def test_mounts(connect):
    client, _ = connect()
    client.sys.enable_secrets_engine("kv", path="team", options={"version": "1"})
    assert client.sys.list_mounted_secrets_engines()["data"]["team/"]["type"] == "kv"
    client.sys.tune_mount_configuration("team", default_lease_ttl="1h")
    assert client.sys.read_mount_configuration("team")["data"]["default_lease_ttl"] == 3600
    client.sys.move_backend("team", "moved")
    client.sys.disable_secrets_engine("moved")
    assert "moved/" not in client.sys.list_mounted_secrets_engines()["data"]


def test_kv_version_1(connect):
    client, _ = connect()
    client.sys.enable_secrets_engine("kv", path="plain", options={"version": "1"})
    kv = client.secrets.kv.v1
    kv.create_or_update_secret("app", {"a": "1"}, mount_point="plain")
    assert kv.read_secret("app", mount_point="plain")["data"] == {"a": "1"}
    assert kv.list_secrets("", mount_point="plain")["data"]["keys"] == ["app"]
    kv.delete_secret("app", mount_point="plain")
    with pytest.raises(exceptions.InvalidPath):
        kv.read_secret("app", mount_point="plain")


def test_kv_version_2(connect):
    client, _ = connect()
    kv = client.secrets.kv.v2
    kv.create_or_update_secret("app", {"a": "1"}, cas=0)
    with pytest.raises(exceptions.InvalidRequest):
        kv.create_or_update_secret("app", {"a": "2"}, cas=0)
    kv.patch("app", {"b": "2"})
    assert kv.read_secret_version("app", raise_on_deleted_version=True)["data"]["data"] == {"a": "1", "b": "2"}
    kv.update_metadata("app", max_versions=5, custom_metadata={"owner": "ada"})
    assert kv.read_secret_metadata("app")["data"]["custom_metadata"] == {"owner": "ada"}
    kv.delete_latest_version_of_secret("app")
    kv.undelete_secret_versions("app", versions=[2])
    kv.destroy_secret_versions("app", versions=[1])
    assert kv.read_secret_metadata("app")["data"]["versions"]["1"]["destroyed"]
    assert kv.list_secrets("")["data"]["keys"] == ["app"]
    kv.delete_metadata_and_all_versions("app")
    with pytest.raises(exceptions.InvalidPath):
        kv.read_secret_version("app", raise_on_deleted_version=True)


def test_policies(connect):
    client, world = connect()
    client.sys.create_or_update_policy("reader", 'path "secret/data/*" { capabilities = ["read"] }')
    assert "reader" in client.sys.list_policies()["data"]["policies"]
    token = client.auth.token.create(policies=["reader"])["auth"]["client_token"]
    reader = hvac.Client(url=world.services["secrets"]["url"], token=token)
    with pytest.raises(exceptions.Forbidden):
        reader.secrets.kv.v2.create_or_update_secret("a", {})
    client.sys.delete_policy("reader")


def test_tokens(connect):
    client, _ = connect()
    made = client.auth.token.create(ttl="1h", display_name="ada")["auth"]
    assert client.auth.token.lookup(made["client_token"])["data"]["display_name"] == "token-ada"
    assert client.auth.token.lookup_accessor(made["accessor"])["data"]["accessor"] == made["accessor"]
    assert client.auth.token.renew(made["client_token"], increment=7200)["auth"]["lease_duration"] == 7200
    client.auth.token.create_or_update_role("ci", allowed_policies="default")
    assert client.auth.token.list_roles()["data"]["keys"] == ["ci"]
    client.auth.token.revoke(made["client_token"])
    with pytest.raises(exceptions.Forbidden):
        client.auth.token.lookup(made["client_token"])


def test_wrapping(connect):
    client, _ = connect()
    wrapped = client.auth.token.create(wrap_ttl="5m")["wrap_info"]
    assert wrapped["ttl"] == 300
    assert client.sys.unwrap(wrapped["token"])["auth"]["client_token"]


def test_namespaces(connect):
    client, world = connect()
    client.sys.create_namespace("team")
    assert client.sys.list_namespaces()["data"]["keys"] == ["team/"]
    secrets = world.services["secrets"]
    inside = hvac.Client(url=secrets["url"], token=secrets["token"], namespace="team")
    inside.sys.enable_secrets_engine("kv", path="kv")
    assert "kv/" in inside.sys.list_mounted_secrets_engines()["data"]
    client.sys.delete_namespace("team")


def test_transit(connect):
    client, _ = connect()
    client.sys.enable_secrets_engine("transit")
    transit = client.secrets.transit
    transit.create_key("app")
    sealed = transit.encrypt_data("app", plaintext="aGVsbG8=")["data"]["ciphertext"]
    assert sealed.startswith("vault:v1:")
    transit.rotate_key("app")
    again = transit.rewrap_data("app", ciphertext=sealed)["data"]["ciphertext"]
    assert again.startswith("vault:v2:")
    assert transit.decrypt_data("app", ciphertext=again)["data"]["plaintext"] == "aGVsbG8="
    transit.create_key("signer", key_type="ed25519")
    signature = transit.sign_data("signer", hash_input="aGVsbG8=")["data"]["signature"]
    verified = transit.verify_signed_data("signer", hash_input="aGVsbG8=", signature=signature)
    assert verified["data"]["valid"] is True


def test_login_by_approle(connect):
    client, _ = connect()
    client.sys.enable_auth_method("approle")
    approle = client.auth.approle
    approle.create_or_update_approle("app", token_policies=["reader"])
    role_id = approle.read_role_id("app")["data"]["role_id"]
    secret_id = approle.generate_secret_id("app")["data"]["secret_id"]
    approle.login(role_id=role_id, secret_id=secret_id)
    assert client.lookup_token()["data"]["policies"] == ["default", "reader"]


def test_templated_policies(connect):
    client, world = connect()
    client.sys.enable_auth_method("approle")
    accessor = client.sys.list_auth_methods()["data"]["approle/"]["accessor"]
    rule = 'path "secret/data/%s/*" { capabilities = ["read"] }\n'
    places = ["{{identity.entity.metadata.team}}", "{{identity.entity.aliases.%s.name}}" % accessor]
    client.sys.create_or_update_policy("own", "".join(rule % place for place in places))
    approle, identity = client.auth.approle, client.secrets.identity
    approle.create_or_update_approle("app", token_policies=["own"])
    role_id = approle.read_role_id("app")["data"]["role_id"]
    entity = identity.create_or_update_entity("app", metadata={"team": "shop"})["data"]["id"]
    identity.create_or_update_entity_alias(role_id, canonical_id=entity, mount_accessor=accessor)
    for place in ("shop", "bank", role_id):
        client.secrets.kv.v2.create_or_update_secret(f"{place}/db", {"place": place})
    app = hvac.Client(url=world.services["secrets"]["url"])
    secret_id = approle.generate_secret_id("app")["data"]["secret_id"]
    assert app.auth.approle.login(role_id=role_id, secret_id=secret_id)["auth"]["entity_id"] == entity

    def read(place):
        found = app.secrets.kv.v2.read_secret_version(f"{place}/db", raise_on_deleted_version=True)
        return found["data"]["data"]["place"]

    assert read("shop") == "shop"
    assert read(role_id) == role_id
    with pytest.raises(exceptions.Forbidden):
        read("bank")
    identity.update_entity(entity, metadata={"team": "bank"})
    assert read("bank") == "bank"
    with pytest.raises(exceptions.Forbidden):
        read("shop")


def test_login_by_userpass(connect):
    client, _ = connect()
    client.sys.enable_auth_method("userpass")
    client.auth.userpass.create_or_update_user("ada", password="hunter2")
    with pytest.raises(exceptions.InvalidRequest):
        client.auth.userpass.login("ada", "wrong")
    client.auth.userpass.login("ada", "hunter2")
    assert client.lookup_token()["data"]["display_name"] == "userpass-ada"


def test_login_by_service_account(connect):
    client, world = connect()
    client.sys.enable_auth_method("kubernetes")
    kubernetes = client.auth.kubernetes
    kubernetes.configure("https://kubernetes.test")
    kubernetes.create_role(
        "app",
        bound_service_account_names=["web"],
        bound_service_account_namespaces=["shop"],
    )
    jwt = world.account_token("shop", "web")
    auth = kubernetes.login("app", jwt)["auth"]
    assert auth["metadata"]["service_account_name"] == "web"


def test_login_by_jwt(connect):
    client, world = connect()
    url = f"{world.control}/worlds/{world.id}/secrets/orchestrator/keys"
    world.set_options(secrets={"jwtFetch": "loopback"})
    jwt = world.account_token("shop", "web")
    client.sys.enable_auth_method("jwt")
    client.auth.jwt.configure(jwks_url=url)
    client.auth.jwt.create_role(
        "app",
        role_type="jwt",
        user_claim="sub",
        allowed_redirect_uris=[],
        bound_subject="system:serviceaccount:shop:web",
        bound_audiences=["https://kubernetes.default.svc.cluster.local"],
    )
    auth = client.auth.jwt.jwt_login("app", jwt)["auth"]
    assert auth["metadata"]["role"] == "app"
