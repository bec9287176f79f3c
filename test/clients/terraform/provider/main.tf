# Every resource of the areas that the mock serves. The variable `step` is changed by the tests.
terraform {
  required_providers {
    tfe = { source = "hashicorp/tfe" }
  }
}

variable "step" { default = "first" }

provider "tfe" { organization = "wide" }

resource "tfe_organization" "wide" {
  name  = "wide"
  email = "admin@example.com"
}

resource "tfe_agent_pool" "pool" {
  name                = "pool"
  organization        = tfe_organization.wide.name
  organization_scoped = false
}

resource "tfe_agent_token" "pool" {
  agent_pool_id = tfe_agent_pool.pool.id
  description   = "runner"
}

resource "tfe_agent_pool_allowed_workspaces" "pool" {
  agent_pool_id         = tfe_agent_pool.pool.id
  allowed_workspace_ids = [tfe_workspace.app.id]
}

resource "tfe_agent_pool" "open" {
  name         = "open-${var.step}"
  organization = tfe_organization.wide.name
}

resource "tfe_agent_pool_excluded_workspaces" "open" {
  agent_pool_id          = tfe_agent_pool.open.id
  excluded_workspace_ids = [tfe_workspace.network.id]
}

resource "tfe_agent_pool_allowed_projects" "pool" {
  agent_pool_id       = tfe_agent_pool.pool.id
  allowed_project_ids = [tfe_project.apps.id]
}

resource "tfe_oauth_client" "repositories" {
  name             = "repositories"
  organization     = tfe_organization.wide.name
  api_url          = "https://api.github.com"
  http_url         = "https://github.com"
  oauth_token      = "x"
  service_provider = "github"
}

resource "tfe_project_oauth_client" "repositories" {
  project_id      = tfe_project.apps.id
  oauth_client_id = tfe_oauth_client.repositories.id
}

resource "tfe_ssh_key" "deploy" {
  name         = "deploy-${var.step}"
  organization = tfe_organization.wide.name
  key          = "private"
}

resource "tfe_registry_provider" "private" {
  organization = tfe_organization.wide.name
  name         = "cloud"
}

resource "tfe_registry_provider" "public" {
  organization  = tfe_organization.wide.name
  registry_name = "public"
  namespace     = "hashicorp"
  name          = "aws"
}

resource "tfe_registry_gpg_key" "signer" {
  organization = tfe_organization.wide.name
  ascii_armor  = file("${path.module}/signer.asc")
}
