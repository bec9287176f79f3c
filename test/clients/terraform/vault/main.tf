terraform {
  required_providers {
    vault = { source = "hashicorp/vault" }
  }
}

# The second step changes at least one argument of most resources.
variable "step" { default = "first" }

locals {
  second = var.step == "second"
  ttl    = local.second ? 7200 : 3600
}

provider "vault" {}

resource "vault_policy" "reader" {
  name   = "reader"
  policy = "path \"kv/*\" { capabilities = [\"${local.second ? "list" : "read"}\"] }"
}

resource "vault_password_policy" "digits" {
  name   = "digits"
  policy = "length = ${local.second ? 24 : 20}\nrule \"charset\" { charset = \"0123456789\" }\n"
}

resource "vault_quota_rate_limit" "global" {
  name = "global"
  path = ""
  rate = local.second ? 20000 : 10000
}

resource "vault_quota_rate_limit" "kv" {
  name           = "kv"
  path           = "${vault_mount.kv1.path}/"
  rate           = 1000
  interval       = local.second ? 2 : 1
  block_interval = 3
}

resource "vault_quota_lease_count" "database" {
  name       = "database"
  path       = "${vault_database_secrets_mount.all.path}/"
  max_leases = local.second ? 200 : 100
}

resource "vault_audit" "file" {
  type    = "file"
  options = { file_path = "discard" }
}

resource "vault_namespace" "team" {
  path            = "team"
  custom_metadata = { stage = var.step }
}

resource "vault_mount" "team" {
  namespace = vault_namespace.team.path
  path      = "secrets"
  type      = "kv-v2"
}

resource "vault_token_auth_backend_role" "app" {
  role_name              = "app"
  allowed_policies       = ["reader"]
  disallowed_policies    = ["default"]
  orphan                 = true
  token_period           = local.ttl
  token_explicit_max_ttl = 115200
  path_suffix            = "suffix"
}

resource "vault_token" "app" {
  policies         = [vault_policy.reader.name]
  ttl              = "24h"
  no_parent        = true
  explicit_max_ttl = "48h"
  metadata         = { purpose = "app" }
}

resource "vault_audit_request_header" "forwarded" {
  name = "X-Forwarded-For"
  hmac = local.second
}

resource "vault_sys_config_cors" "origins" {
  allowed_origins = ["http://${var.step}.test"]
  allowed_headers = ["X-Custom-Header"]
}

resource "vault_quota_config" "exempt" {
  rate_limit_exempt_paths = ["sys/${var.step}"]
}

resource "vault_plugin" "own" {
  type    = "secret"
  name    = "own"
  command = "own-${var.step}"
  version = "v0.17.0"
  sha256  = "6bd0a803ed742aa3ce35e4fa23d2c8d550e6c1567bf63410cec489c28b68b0fc"
}
