resource "vault_auth_backend" "userpass" {
  type        = "userpass"
  description = var.step

  tune {
    default_lease_ttl  = local.second ? "2h" : "1h"
    max_lease_ttl      = "24h"
    listing_visibility = "unauth"
  }
}

resource "vault_generic_endpoint" "ada" {
  path                 = "auth/${vault_auth_backend.userpass.path}/users/ada"
  ignore_absent_fields = true
  data_json            = jsonencode({ password = "hunter2", token_policies = ["reader"], token_ttl = local.ttl })
}

resource "vault_ldap_auth_backend" "ldap" {
  path           = "ldap"
  url            = "ldaps://ldap.test"
  userdn         = "ou=people,dc=test"
  userattr       = "uid"
  groupdn        = "ou=groups,dc=test"
  groupfilter    = "(&(objectClass=group)(member={{.UserDN}}))"
  token_ttl      = local.ttl
  token_policies = ["default"]
}

resource "vault_ldap_auth_backend_group" "crew" {
  backend   = vault_ldap_auth_backend.ldap.path
  groupname = "crew"
  policies  = local.second ? ["reader", "writer"] : ["reader"]
}

resource "vault_ldap_auth_backend_user" "ada" {
  backend  = vault_ldap_auth_backend.ldap.path
  username = "ada"
  groups   = ["crew"]
  policies = local.second ? ["writer"] : ["reader"]
}

resource "vault_github_auth_backend" "github" {
  path            = "github"
  organization    = "example"
  organization_id = 4711
  token_ttl       = local.ttl
}

resource "vault_github_team" "crew" {
  backend  = vault_github_auth_backend.github.id
  team     = "crew"
  policies = local.second ? ["writer"] : ["reader"]
}

resource "vault_github_user" "ada" {
  backend  = vault_github_auth_backend.github.id
  user     = "ada"
  policies = local.second ? ["writer"] : ["reader"]
}

resource "vault_okta_auth_backend" "okta" {
  path        = "okta"
  description = "people"
  org_name    = "example"
  api_token   = "okta-token"
  token_ttl   = local.ttl
}

resource "vault_okta_auth_backend_group" "crew" {
  path       = vault_okta_auth_backend.okta.path
  group_name = "crew"
  policies   = local.second ? ["writer"] : ["reader"]
}

resource "vault_okta_auth_backend_user" "ada" {
  path     = vault_okta_auth_backend.okta.path
  username = "ada"
  groups   = local.second ? ["crew", "guests"] : ["crew"]
}

resource "vault_auth_backend" "cert" {
  type = "cert"
  path = "cert"
}

resource "vault_cert_auth_backend_role" "web" {
  backend        = vault_auth_backend.cert.path
  name           = "web"
  certificate    = vault_pki_secret_backend_root_cert.root.certificate
  allowed_names  = ["${var.step}.a.test"]
  token_ttl      = local.ttl
  token_max_ttl  = 86400
  token_policies = ["reader"]
}

resource "vault_jwt_auth_backend" "jwt" {
  path                   = "jwt"
  description            = var.step
  jwt_validation_pubkeys = [trimspace(file("${path.module}/jwt.pem"))]
  bound_issuer           = "https://issuer.test"
  default_role           = "web"
}

resource "vault_jwt_auth_backend_role" "web" {
  backend           = vault_jwt_auth_backend.jwt.path
  role_name         = "web"
  role_type         = "jwt"
  user_claim        = "sub"
  bound_audiences   = ["https://aud.test"]
  bound_claims      = { color = local.second ? "red" : "red,green" }
  bound_claims_type = "glob"
  claim_mappings    = { preferred_language = "language" }
  token_policies    = ["reader"]
  token_ttl         = local.ttl
}

resource "vault_auth_backend" "kubernetes" {
  type = "kubernetes"
}

resource "vault_kubernetes_auth_backend_config" "kubernetes" {
  backend                = vault_auth_backend.kubernetes.path
  kubernetes_host        = "https://${var.step}.kubernetes.test"
  token_reviewer_jwt     = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJyZXZpZXdlciJ9.c2lnbmF0dXJl"
  disable_iss_validation = true
}

resource "vault_kubernetes_auth_backend_role" "app" {
  backend                          = vault_auth_backend.kubernetes.path
  role_name                        = "app"
  bound_service_account_names      = ["app"]
  bound_service_account_namespaces = [var.step]
  token_ttl                        = local.ttl
  token_policies                   = ["reader"]
  audience                         = "vault"
}

resource "vault_auth_backend" "approle" {
  type = "approle"
}

resource "vault_approle_auth_backend_role" "app" {
  backend        = vault_auth_backend.approle.path
  role_name      = "app"
  token_policies = local.second ? ["reader", "writer"] : ["reader"]
  token_ttl      = local.ttl
}

resource "vault_approle_auth_backend_role_secret_id" "app" {
  backend   = vault_auth_backend.approle.path
  role_name = vault_approle_auth_backend_role.app.role_name
  metadata  = jsonencode({ hello = "world" })
}

resource "vault_approle_auth_backend_login" "app" {
  backend   = vault_auth_backend.approle.path
  role_id   = vault_approle_auth_backend_role.app.role_id
  secret_id = vault_approle_auth_backend_role_secret_id.app.secret_id
}

resource "vault_userpass_auth_backend_user" "bob" {
  mount               = vault_auth_backend.userpass.path
  username            = "bob"
  password_wo         = "hunter2"
  password_wo_version = local.second ? 2 : 1
  token_policies      = [var.step]
}

resource "vault_okta_auth_backend" "inline" {
  path     = "okta-inline"
  org_name = "example"

  group {
    group_name = "crew"
    policies   = ["reader", var.step]
  }

  user {
    username = "bob"
    groups   = ["crew"]
  }
}
