resource "tfe_admin_organization_settings" "wide" {
  organization      = tfe_organization.wide.name
  access_beta_tools = true
  workspace_limit   = var.step == "first" ? 10 : 20
}

resource "tfe_organization_module_sharing" "wide" {
  organization     = tfe_organization.wide.name
  module_consumers = ["example-org"]
  depends_on       = [tfe_admin_organization_settings.wide]
}

resource "tfe_terraform_version" "one" {
  version = "1.99.0"
  url     = "https://example.com/terraform.zip"
  sha     = "e75ac73deb69a6b3aa667cb0b8b731aee79e2904"
  enabled = var.step == "first"
}

resource "tfe_opa_version" "one" {
  version = "1.99.0"
  archs = [{
    url  = "https://example.com/opa"
    sha  = "e75ac73deb69a6b3aa667cb0b8b731aee79e2904"
    os   = "linux"
    arch = "amd64"
  }]
}

resource "tfe_sentinel_version" "one" {
  version = "1.99.0"
  url     = "https://example.com/sentinel.zip"
  sha     = "e75ac73deb69a6b3aa667cb0b8b731aee79e2904"
}
