resource "tfe_notification_configuration" "mail" {
  name             = "mail"
  workspace_id     = tfe_workspace.app.id
  destination_type = "email"
  email_user_ids   = [tfe_organization_membership.member.user_id]
  triggers         = var.step == "first" ? ["run:created"] : ["run:created", "run:errored"]
  enabled          = true
}

resource "tfe_notification_configuration" "hook" {
  name             = "hook"
  workspace_id     = tfe_workspace.app.id
  destination_type = "generic"
  url              = "https://example.com/${var.step}"
  token            = "signs"
  triggers         = ["run:needs_attention"]
  enabled          = false
}

resource "tfe_project_notification_configuration" "hook" {
  name             = "project-hook"
  project_id       = tfe_project.apps.id
  destination_type = "generic"
  url              = "https://example.com/project"
  token            = "signs"
  triggers         = ["run:completed"]
  enabled          = false
}

resource "tfe_organization_run_task" "scan" {
  name         = "scan"
  organization = tfe_organization.wide.name
  url          = "https://example.com/scan"
  description  = var.step
  hmac_key     = "signs"
}

resource "tfe_organization_run_task_global_settings" "scan" {
  task_id           = tfe_organization_run_task.scan.id
  enabled           = true
  enforcement_level = "advisory"
  stages            = ["pre_plan", "post_plan"]
}

resource "tfe_workspace_run_task" "scan" {
  workspace_id      = tfe_workspace.app.id
  task_id           = tfe_organization_run_task.scan.id
  enforcement_level = var.step == "first" ? "advisory" : "mandatory"
  stages            = ["post_plan", "pre_apply"]
}

resource "tfe_policy" "sentinel" {
  name         = "sizes"
  organization = tfe_organization.wide.name
  description  = var.step
  policy       = "main = rule { true } # ${var.step}"
  enforce_mode = "soft-mandatory"
}

resource "tfe_policy" "opa" {
  name         = "ports"
  organization = tfe_organization.wide.name
  kind         = "opa"
  query        = "data.example.rule"
  policy       = "package example rule[\"not allowed\"] { false }"
  enforce_mode = "mandatory"
}

resource "tfe_sentinel_policy" "old" {
  name         = "old"
  organization = tfe_organization.wide.name
  policy       = "main = rule { true }"
  enforce_mode = "hard-mandatory"
}

resource "tfe_policy_set" "sentinel" {
  name          = "sentinel"
  organization  = tfe_organization.wide.name
  description   = var.step
  policy_ids    = [tfe_policy.sentinel.id]
  workspace_ids = [tfe_workspace.network.id]
}

resource "tfe_policy_set" "opa" {
  name         = "opa"
  organization = tfe_organization.wide.name
  kind         = "opa"
  overridable  = true
  global       = true
  policy_ids   = [tfe_policy.opa.id]
}

resource "tfe_policy_set" "of_repository" {
  name          = "of-repository"
  organization  = tfe_organization.wide.name
  kind          = "sentinel"
  agent_enabled = true
  policies_path = "policies/sets"
  vcs_repo {
    identifier     = "owner/policies"
    branch         = "main"
    oauth_token_id = tfe_oauth_client.repositories.oauth_token_id
  }
}

resource "tfe_policy_set_parameter" "limit" {
  policy_set_id = tfe_policy_set.sentinel.id
  key           = "limit"
  value         = var.step
}

resource "tfe_policy_set_parameter" "secret" {
  policy_set_id = tfe_policy_set.sentinel.id
  key           = "secret"
  value         = "s"
  sensitive     = true
}

resource "tfe_workspace_policy_set" "repository" {
  policy_set_id = tfe_policy_set.of_repository.id
  workspace_id  = tfe_workspace.app.id
}

resource "tfe_workspace_policy_set_exclusion" "network" {
  policy_set_id = tfe_policy_set.opa.id
  workspace_id  = tfe_workspace.network.id
}

resource "tfe_project_policy_set" "repository" {
  policy_set_id = tfe_policy_set.of_repository.id
  project_id    = tfe_project.apps.id
}

data "tfe_organization_run_task" "scan" {
  name         = tfe_organization_run_task.scan.name
  organization = tfe_organization.wide.name
}

data "tfe_policy_set" "sentinel" {
  name         = tfe_policy_set.sentinel.name
  organization = tfe_organization.wide.name
}
