resource "vault_mount" "ssh" {
  path = "ssh"
  type = "ssh"
}

resource "vault_ssh_secret_backend_ca" "ca" {
  backend              = vault_mount.ssh.path
  generate_signing_key = true
  key_type             = "ed25519"
}

resource "vault_ssh_secret_backend_role" "signed" {
  backend                 = vault_mount.ssh.path
  name                    = "signed"
  key_type                = "ca"
  allow_user_certificates = true
  allowed_users           = local.second ? "ada,bob" : "ada"
  default_user            = "ada"
  default_extensions      = { "permit-pty" = "" }
  ttl                     = local.ttl
  max_ttl                 = "86400"

  allowed_user_key_config {
    type    = "rsa"
    lengths = [2048, 4096]
  }
}

resource "vault_ssh_secret_backend_role" "once" {
  backend       = vault_mount.ssh.path
  name          = "once"
  key_type      = "otp"
  default_user  = "ubuntu"
  allowed_users = "ubuntu,${var.step}"
  cidr_list     = "10.0.0.0/8"
}
