resource "vault_mount" "kv1" {
  path        = "kv1"
  type        = "kv"
  options     = { version = "1" }
  description = var.step
}

resource "vault_mount" "kv2" {
  path                      = "kv2"
  type                      = "kv"
  options                   = { version = "2" }
  description               = "versions"
  default_lease_ttl_seconds = local.ttl
  max_lease_ttl_seconds     = 86400
  listing_visibility        = "unauth"
}

resource "vault_kv_secret" "plain" {
  path      = "${vault_mount.kv1.path}/app"
  data_json = jsonencode({ color = var.step, size = 1 })
}

resource "vault_kv_secret_v2" "versioned" {
  mount     = vault_mount.kv2.path
  name      = "team/app"
  data_json = jsonencode({ color = var.step })
  custom_metadata {
    max_versions = 5
    data         = { owner = var.step }
  }
}

resource "vault_kv_secret_backend_v2" "settings" {
  mount                = vault_mount.kv2.path
  max_versions         = local.second ? 6 : 5
  delete_version_after = 12600
}

resource "vault_generic_secret" "plain" {
  path      = "${vault_mount.kv1.path}/generic"
  data_json = jsonencode({ color = var.step })
}

resource "vault_mount" "transit" {
  path = "transit"
  type = "transit"
}

resource "vault_transit_secret_backend_key" "key" {
  backend            = vault_mount.transit.path
  name               = "key"
  type               = "aes256-gcm96"
  deletion_allowed   = true
  auto_rotate_period = local.ttl
}

resource "vault_transit_secret_cache_config" "cache" {
  backend = vault_mount.transit.path
  size    = 500
}

data "vault_kv_secret_v2" "versioned" {
  mount = vault_mount.kv2.path
  name  = vault_kv_secret_v2.versioned.name
}

output "color" {
  value     = data.vault_kv_secret_v2.versioned.data["color"]
  sensitive = true
}

resource "vault_kv_secret_v2" "write_only" {
  mount                = vault_mount.kv2.path
  name                 = "write-only"
  data_json_wo         = jsonencode({ color = var.step })
  data_json_wo_version = local.second ? 2 : 1
}

ephemeral "vault_kv_secret_v2" "write_only" {
  mount    = vault_mount.kv2.path
  mount_id = vault_mount.kv2.id
  name     = vault_kv_secret_v2.write_only.name
}

data "vault_kv_secrets_list_v2" "team" {
  mount      = vault_mount.kv2.path
  depends_on = [vault_kv_secret_v2.versioned]
}

resource "vault_transit_secret_backend_key" "derived" {
  backend               = vault_mount.transit.path
  name                  = "derived"
  derived               = true
  convergent_encryption = true
  deletion_allowed      = true
}

data "vault_transit_encrypt" "text" {
  backend   = vault_mount.transit.path
  key       = vault_transit_secret_backend_key.key.name
  plaintext = "text"
}
