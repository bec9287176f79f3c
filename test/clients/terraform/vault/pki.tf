resource "vault_mount" "root" {
  path                  = "pki-root"
  type                  = "pki"
  description           = var.step
  max_lease_ttl_seconds = 315360000
}

resource "vault_mount" "intermediate" {
  path                  = "pki-int"
  type                  = "pki"
  max_lease_ttl_seconds = 157680000
}

resource "vault_pki_secret_backend_root_cert" "root" {
  backend      = vault_mount.root.path
  type         = "internal"
  common_name  = "Root"
  ttl          = "315360000"
  key_type     = "ec"
  key_bits     = 256
  issuer_name  = "root"
  organization = "Example"
  country      = "CH"
}

resource "vault_pki_secret_backend_issuer" "root" {
  backend                        = vault_mount.root.path
  issuer_ref                     = vault_pki_secret_backend_root_cert.root.issuer_id
  issuer_name                    = local.second ? "first-root" : "root"
  leaf_not_after_behavior        = local.second ? "truncate" : "err"
  revocation_signature_algorithm = "ECDSAWithSHA384"
}

resource "vault_pki_secret_backend_config_issuers" "root" {
  backend                       = vault_mount.root.path
  default                       = vault_pki_secret_backend_issuer.root.issuer_id
  default_follows_latest_issuer = local.second
}

resource "vault_pki_secret_backend_config_urls" "root" {
  backend                 = vault_mount.root.path
  issuing_certificates    = ["http://127.0.0.1:8200/v1/pki-root/${var.step}"]
  crl_distribution_points = ["http://127.0.0.1:8200/v1/pki-root/crl"]
  ocsp_servers            = ["http://127.0.0.1:8200/v1/pki-root/ocsp"]
}

resource "vault_pki_secret_backend_crl_config" "root" {
  backend                   = vault_mount.root.path
  expiry                    = local.second ? "96h" : "72h"
  disable                   = false
  auto_rebuild              = true
  auto_rebuild_grace_period = "24h"
  enable_delta              = true
  delta_rebuild_interval    = "20m"
}

resource "vault_pki_secret_backend_key" "spare" {
  backend  = vault_mount.root.path
  type     = "internal"
  key_name = var.step
  key_type = "ed25519"
}

resource "vault_pki_secret_backend_intermediate_cert_request" "intermediate" {
  backend      = vault_mount.intermediate.path
  type         = "internal"
  common_name  = "Intermediate"
  key_type     = "ec"
  key_bits     = 256
  organization = "Example"
}

resource "vault_pki_secret_backend_root_sign_intermediate" "intermediate" {
  backend              = vault_mount.root.path
  csr                  = vault_pki_secret_backend_intermediate_cert_request.intermediate.csr
  common_name          = "Intermediate"
  exclude_cn_from_sans = true
  organization         = "Example"
  ttl                  = "157680000"
  issuer_ref           = vault_pki_secret_backend_root_cert.root.issuer_id
}

resource "vault_pki_secret_backend_intermediate_set_signed" "intermediate" {
  backend     = vault_mount.intermediate.path
  certificate = vault_pki_secret_backend_root_sign_intermediate.intermediate.certificate_bundle
}

resource "vault_pki_secret_backend_role" "web" {
  backend            = vault_mount.intermediate.path
  name               = "web"
  issuer_ref         = vault_pki_secret_backend_intermediate_set_signed.intermediate.imported_issuers[0]
  ttl                = local.ttl
  max_ttl            = "86400"
  allow_ip_sans      = true
  key_type           = "ec"
  key_bits           = 256
  allowed_domains    = ["a.test"]
  allow_subdomains   = true
  key_usage          = ["DigitalSignature"]
  policy_identifiers = ["1.3.6.1.4.1.7.8"]
}

resource "vault_pki_secret_backend_cert" "web" {
  backend     = vault_mount.intermediate.path
  name        = vault_pki_secret_backend_role.web.name
  common_name = "www.a.test"
  alt_names   = ["api.a.test"]
  ip_sans     = ["10.0.0.1"]
  ttl         = "3600"
  revoke      = true
}

resource "vault_pki_secret_backend_sign" "web" {
  backend     = vault_mount.intermediate.path
  name        = vault_pki_secret_backend_role.web.name
  csr         = file("${path.module}/web.csr")
  common_name = "signed.a.test"
}

resource "vault_pki_secret_backend_config_cluster" "intermediate" {
  backend  = vault_mount.intermediate.path
  path     = "https://127.0.0.1:8200/v1/pki-int"
  aia_path = "http://127.0.0.1:8200/v1/${var.step}"
}

resource "vault_pki_secret_backend_config_auto_tidy" "intermediate" {
  backend           = vault_mount.intermediate.path
  enabled           = true
  tidy_cert_store   = true
  interval_duration = local.second ? "13h" : "12h"
}

data "vault_pki_secret_backend_issuers" "root" {
  backend = vault_pki_secret_backend_root_cert.root.backend
}
