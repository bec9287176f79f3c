resource "tfe_project" "apps" {
  name                           = "apps"
  organization                   = tfe_organization.wide.name
  description                    = var.step
  auto_destroy_activity_duration = "14d"
  tags                           = { team = "a", stage = var.step }
}

resource "tfe_project_settings" "apps" {
  project_id             = tfe_project.apps.id
  default_execution_mode = "local"
}

resource "tfe_workspace" "network" {
  name         = "network"
  organization = tfe_organization.wide.name
}

resource "tfe_workspace" "app" {
  name                          = "app"
  organization                  = tfe_organization.wide.name
  project_id                    = tfe_project.apps.id
  description                   = "app, ${var.step}"
  allow_destroy_plan            = false
  assessments_enabled           = true
  auto_apply                    = true
  auto_apply_run_trigger        = true
  auto_destroy_at               = var.step == "first" ? "2040-01-01T00:00:00Z" : null
  file_triggers_enabled         = false
  queue_all_runs                = false
  speculative_enabled           = false
  structured_run_output_enabled = false
  ssh_key_id                    = tfe_ssh_key.deploy.id
  terraform_version             = "1.9.8"
  working_directory             = "deploy"
  source_name                   = "tests"
  source_url                    = "https://example.com"
  tags                          = { stage = var.step }
}

resource "tfe_workspace_settings" "app" {
  workspace_id              = tfe_workspace.app.id
  execution_mode            = "agent"
  agent_pool_id             = tfe_agent_pool_allowed_workspaces.pool.agent_pool_id
  global_remote_state       = false
  remote_state_consumer_ids = [tfe_workspace.network.id]
}

resource "tfe_workspace" "connected" {
  name             = "connected"
  organization     = tfe_organization.wide.name
  queue_all_runs   = false
  trigger_patterns = ["/modules/**/*"]
  tag_names        = ["a", var.step]
  vcs_repo {
    identifier     = "owner/network"
    branch         = "main"
    oauth_token_id = tfe_oauth_client.repositories.oauth_token_id
  }
}

resource "tfe_variable" "plain" {
  workspace_id = tfe_workspace.app.id
  category     = "terraform"
  key          = "size"
  value        = var.step
  description  = "How large"
}

resource "tfe_variable" "map" {
  workspace_id = tfe_workspace.app.id
  category     = "terraform"
  key          = "tags"
  value        = "{ a = 1 }"
  hcl          = true
}

resource "tfe_variable" "secret" {
  workspace_id = tfe_workspace.app.id
  category     = "env"
  key          = "PASSWORD"
  value        = "p-${var.step}"
  sensitive    = true
}

resource "tfe_variable" "written_only" {
  workspace_id     = tfe_workspace.app.id
  category         = "env"
  key              = "TOKEN"
  value_wo         = "t-${var.step}"
  value_wo_version = var.step == "first" ? 1 : 2
}

resource "tfe_variable_set" "shared" {
  name         = "shared"
  organization = tfe_organization.wide.name
  description  = var.step
  priority     = true
}

resource "tfe_variable_set" "global" {
  name         = "global"
  organization = tfe_organization.wide.name
  global       = true
}

resource "tfe_variable_set" "of_project" {
  name              = "of-project"
  organization      = tfe_organization.wide.name
  parent_project_id = tfe_project.apps.id
}

resource "tfe_variable" "shared" {
  variable_set_id = tfe_variable_set.shared.id
  category        = "env"
  key             = "REGION"
  value           = var.step
}

resource "tfe_workspace_variable_set" "shared" {
  variable_set_id = tfe_variable_set.shared.id
  workspace_id    = tfe_workspace.network.id
}

resource "tfe_project_variable_set" "shared" {
  variable_set_id = tfe_variable_set.shared.id
  project_id      = tfe_project.apps.id
}

resource "tfe_run_trigger" "network" {
  workspace_id  = tfe_workspace.app.id
  sourceable_id = tfe_workspace.network.id
}

data "tfe_workspace" "app" {
  name         = tfe_workspace.app.name
  organization = tfe_organization.wide.name
}

data "tfe_workspace_ids" "all" {
  names        = ["*"]
  organization = tfe_organization.wide.name
  depends_on   = [tfe_workspace.app, tfe_workspace.network, tfe_workspace.connected]
}

data "tfe_variables" "app" {
  workspace_id = tfe_workspace.app.id
  depends_on   = [tfe_variable.plain]
}

data "tfe_variable_set" "shared" {
  name         = tfe_variable_set.shared.name
  organization = tfe_organization.wide.name
}

data "tfe_agent_pool" "pool" {
  name         = tfe_agent_pool.pool.name
  organization = tfe_organization.wide.name
}

data "tfe_ssh_key" "deploy" {
  name         = tfe_ssh_key.deploy.name
  organization = tfe_organization.wide.name
}

data "tfe_project" "apps" {
  name         = tfe_project.apps.name
  organization = tfe_organization.wide.name
}
