/** Addresses and tokens of the platform that the configurations contain. */
interface Platform {
  /** Host and port, with which the addresses of modules begin. */
  readonly host: string
  readonly siteAdmin: string
}

const module = `
variable "name" { default = "x" }
resource "terraform_data" "it" { input = var.name }
output "said" { value = "hello \${var.name}" }
`

const tests = `run "greets" {
  assert {
    condition     = output.said == "hello x"
    error_message = "no"
  }
}

run "again" {
  assert {
    condition     = output.said == "hello x"
    error_message = "no"
  }
}
`

/** Resources and outputs of the workspaces whose runs are tried. */
const runConfiguration = `
variable "name" { default = "x" }
variable "mock_result" { default = "" }
variable "wait_time" { default = "" }
resource "terraform_data" "it" { input = var.name }
output "greeting" { value = "hello \${var.name}" }
output "secret" {
  value     = "hunter2"
  sensitive = true
}
`

/** Returns the files of all configurations, by path. */
export function configurations({ host, siteAdmin }: Platform): Readonly<Record<string, string>> {
  return {
    'module/main.tf': module,
    'module/tests/main.tftest.hcl': tests,
    'user/main.tf': `
module "hello" {
  source  = "${host}/example-org/hello/aws"
  version = "~> 1.0"
}
`,
    'cloud/main.tf': `
terraform {
  cloud {
    hostname     = "${host}"
    organization = "example-org"
    workspaces { name = "one" }
  }
}
`,
    'runs/main.tf': `
terraform {
  cloud {
    hostname     = "${host}"
    organization = "example-org"
    workspaces {
      name    = "runs"
      project = "Default Project"
    }
  }
}
${runConfiguration}`,
    'targets/main.tf': `
terraform {
  cloud {
    hostname     = "${host}"
    organization = "example-org"
    workspaces { name = "targets" }
  }
}
resource "terraform_data" "it" { input = "a" }
resource "terraform_data" "other" { input = "b" }
`,
    'backend/main.tf': `
terraform {
  backend "remote" {
    hostname     = "${host}"
    organization = "example-org"
    workspaces { prefix = "backend-" }
  }
}
${runConfiguration}`,
    'tagged/main.tf': `
terraform {
  cloud {
    hostname     = "${host}"
    organization = "example-org"
    workspaces { tags = ["app"] }
  }
}
`,
    'platform/main.tf': platformObjects(host, siteAdmin),
  }
}

/** Returns a configuration whose resources must be unchanged on a second plan. */
const platformObjects = (host: string, token: string): string => `
terraform {
  required_providers {
    tfe = { source = "hashicorp/tfe" }
  }
}
provider "tfe" {
  hostname = "${host}"
  token    = "${token}"
}
resource "tfe_organization" "acme" {
  name  = "acme"
  email = "admin@example.com"
}
resource "tfe_organization_token" "acme" {
  organization = tfe_organization.acme.name
}
resource "tfe_team" "ops" {
  name         = "ops"
  organization = tfe_organization.acme.name
  visibility   = "organization"
  organization_access {
    manage_modules = true
  }
}
resource "tfe_team_token" "ops" {
  team_id = tfe_team.ops.id
}
resource "tfe_oauth_client" "repositories" {
  name             = "repositories"
  organization     = tfe_organization.acme.name
  api_url          = "https://api.github.com"
  http_url         = "https://github.com"
  oauth_token      = "x"
  service_provider = "github"
}
resource "tfe_registry_module" "plain" {
  organization    = tfe_organization.acme.name
  module_provider = "aws"
  name            = "network"
  registry_name   = "private"
}
resource "tfe_registry_module" "of_repository" {
  organization    = tfe_organization.acme.name
  initial_version = "1.0.0"
  vcs_repo {
    display_identifier = "owner/terraform-random-demo"
    identifier         = "owner/terraform-random-demo"
    oauth_token_id     = tfe_oauth_client.repositories.oauth_token_id
    branch             = "main"
    tags               = false
  }
  test_config {
    tests_enabled = true
  }
}
resource "tfe_test_variable" "region" {
  key             = "region"
  value           = "eu"
  category        = "env"
  organization    = tfe_organization.acme.name
  module_name     = tfe_registry_module.plain.name
  module_provider = tfe_registry_module.plain.module_provider
}
resource "tfe_organization_default_settings" "acme" {
  organization           = tfe_organization.acme.name
  default_execution_mode = "local"
}
resource "tfe_saml_settings" "sso" {
  idp_cert         = "certificate"
  slo_endpoint_url = "https://example.com/slo"
  sso_endpoint_url = "https://example.com/sso"
}
resource "tfe_project" "one" {
  organization = tfe_organization.acme.name
  name         = "project-one"
}
resource "tfe_workspace" "one" {
  name         = "one"
  organization = tfe_organization.acme.name
  project_id   = tfe_project.one.id
  tag_names    = ["a", "b"]
}
data "tfe_organization" "acme" { name = tfe_organization.acme.name }
data "tfe_team" "ops" {
  name         = tfe_team.ops.name
  organization = tfe_organization.acme.name
}
data "tfe_workspace" "one" {
  name         = tfe_workspace.one.name
  organization = tfe_organization.acme.name
}
`
