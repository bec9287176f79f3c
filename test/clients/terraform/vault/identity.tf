resource "vault_identity_entity" "ada" {
  name     = "ada"
  policies = local.second ? ["reader", "writer"] : ["reader"]
  metadata = { step = var.step }
}

resource "vault_identity_entity" "external" {
  name              = "external"
  external_policies = true
}

resource "vault_identity_entity_policies" "external" {
  entity_id = vault_identity_entity.external.id
  policies  = local.second ? ["reader", "writer"] : ["reader"]
  exclusive = true
}

resource "vault_identity_entity_alias" "ada" {
  name            = "ada"
  mount_accessor  = vault_auth_backend.userpass.accessor
  canonical_id    = vault_identity_entity.ada.id
  custom_metadata = { step = var.step }
}

resource "vault_identity_group" "crew" {
  name              = "crew"
  type              = "internal"
  policies          = ["reader"]
  member_entity_ids = [vault_identity_entity.ada.id]
  metadata          = { step = var.step }
}

resource "vault_identity_group" "outside" {
  name     = "outside"
  type     = "external"
  policies = local.second ? ["writer"] : ["reader"]
}

resource "vault_identity_group_alias" "outside" {
  name           = "outside-${var.step}"
  mount_accessor = vault_github_auth_backend.github.accessor
  canonical_id   = vault_identity_group.outside.id
}

resource "vault_identity_group" "members" {
  name                       = "members"
  external_member_entity_ids = true
  external_policies          = true
}

resource "vault_identity_group_member_entity_ids" "members" {
  group_id          = vault_identity_group.members.id
  member_entity_ids = local.second ? [vault_identity_entity.ada.id, vault_identity_entity.external.id] : [vault_identity_entity.ada.id]
  exclusive         = true
}

resource "vault_identity_group_policies" "members" {
  group_id  = vault_identity_group.members.id
  policies  = local.second ? ["reader", "writer"] : ["reader"]
  exclusive = true
}

resource "vault_identity_oidc" "server" {
  issuer = "https://${var.step}.test"
}

resource "vault_identity_oidc_key" "key" {
  name             = "key"
  algorithm        = "ES256"
  rotation_period  = local.ttl
  verification_ttl = 3600
}

resource "vault_identity_oidc_role" "role" {
  name     = "role"
  key      = vault_identity_oidc_key.key.name
  template = "{\"step\": \"${var.step}\"}"
  ttl      = 3600
}

resource "vault_identity_oidc_key_allowed_client_id" "role" {
  key_name          = vault_identity_oidc_key.key.name
  allowed_client_id = vault_identity_oidc_role.role.client_id
}

resource "vault_identity_oidc_assignment" "crew" {
  name       = "crew"
  entity_ids = local.second ? [] : [vault_identity_entity.ada.id]
  group_ids  = [vault_identity_group.crew.id]
}

resource "vault_identity_oidc_key" "clients" {
  name               = "clients"
  allowed_client_ids = ["*"]
  rotation_period    = 3600
  verification_ttl   = 3600
}

resource "vault_identity_oidc_client" "app" {
  name             = "app"
  key              = vault_identity_oidc_key.clients.name
  redirect_uris    = ["http://127.0.0.1:8251/${var.step}"]
  assignments      = [vault_identity_oidc_assignment.crew.name]
  id_token_ttl     = 1800
  access_token_ttl = local.ttl
}

resource "vault_identity_oidc_scope" "groups" {
  name        = "groups"
  template    = jsonencode({ groups = "{{identity.entity.groups.names}}" })
  description = var.step
}

resource "vault_identity_oidc_provider" "provider" {
  name               = "own"
  https_enabled      = true
  issuer_host        = "127.0.0.1:8200"
  allowed_client_ids = local.second ? ["*"] : [vault_identity_oidc_client.app.client_id]
  scopes_supported   = [vault_identity_oidc_scope.groups.name]
}

resource "vault_identity_mfa_totp" "totp" {
  issuer    = var.step
  algorithm = "SHA256"
  digits    = 6
  period    = 30
  key_size  = 20
  skew      = 1
}

resource "vault_identity_mfa_login_enforcement" "userpass" {
  name                  = "userpass"
  mfa_method_ids        = [vault_identity_mfa_totp.totp.method_id]
  auth_method_accessors = [vault_auth_backend.userpass.accessor]
  identity_group_ids    = local.second ? [vault_identity_group.crew.id] : []
}

resource "vault_identity_group" "parent" {
  name                      = "parent"
  external_member_group_ids = true
}

resource "vault_identity_group_member_group_ids" "parent" {
  group_id         = vault_identity_group.parent.id
  member_group_ids = local.second ? [vault_identity_group.crew.id, vault_identity_group.members.id] : [vault_identity_group.crew.id]
}

resource "vault_identity_mfa_duo" "duo" {
  api_hostname    = "api-example.duosecurity.com"
  secret_key      = "secret-key"
  integration_key = "integration-key"
  push_info       = var.step
}

resource "vault_identity_mfa_okta" "okta" {
  org_name  = var.step
  api_token = "token"
  base_url  = "okta.test"
}

data "vault_identity_entity" "ada" {
  entity_id = vault_identity_entity.ada.id
}

data "vault_identity_oidc_openid_config" "provider" {
  name = vault_identity_oidc_provider.provider.name
}
