resource "tfe_team" "developers" {
  name         = "developers"
  organization = tfe_organization.wide.name
  visibility   = "organization"
}

resource "tfe_team" "operators" {
  name         = "operators"
  organization = tfe_organization.wide.name
}

resource "tfe_organization_membership" "member" {
  organization = tfe_organization.wide.name
  email        = "someone@example.com"
}

resource "tfe_organization_membership" "other" {
  organization = tfe_organization.wide.name
  email        = "other@example.com"
}

resource "tfe_team_organization_member" "member" {
  team_id                    = tfe_team.developers.id
  organization_membership_id = tfe_organization_membership.member.id
}

resource "tfe_team_organization_members" "operators" {
  team_id = tfe_team.operators.id
  organization_membership_ids = [
    tfe_organization_membership.member.id,
    tfe_organization_membership.other.id,
  ]
}

resource "tfe_team_access" "fixed" {
  team_id      = tfe_team.developers.id
  workspace_id = tfe_workspace.app.id
  access       = var.step == "first" ? "plan" : "write"
}

resource "tfe_team_access" "custom" {
  team_id      = tfe_team.operators.id
  workspace_id = tfe_workspace.app.id
  permissions {
    runs              = "apply"
    variables         = "read"
    state_versions    = "read-outputs"
    sentinel_mocks    = "none"
    workspace_locking = true
    run_tasks         = false
  }
}

resource "tfe_team_project_access" "fixed" {
  team_id    = tfe_team.developers.id
  project_id = tfe_project.apps.id
  access     = var.step == "first" ? "read" : "maintain"
}

resource "tfe_team_project_access" "custom" {
  team_id    = tfe_team.operators.id
  project_id = tfe_project.apps.id
  access     = "custom"
  project_access {
    settings      = "read"
    teams         = "none"
    variable_sets = "write"
  }
  workspace_access {
    state_versions = "write"
    sentinel_mocks = "none"
    runs           = "apply"
    variables      = "write"
    create         = true
    locking        = true
    move           = false
    delete         = false
    run_tasks      = false
  }
}

resource "tfe_team_token" "developers" {
  team_id     = tfe_team.developers.id
  description = "ci"
}

resource "tfe_organization_token" "wide" {
  organization = tfe_organization.wide.name
}

resource "tfe_team_notification_configuration" "developers" {
  name             = "developers"
  team_id          = tfe_team.developers.id
  destination_type = "email"
  triggers         = ["change_request:created"]
  enabled          = false
}

data "tfe_team_access" "fixed" {
  team_id      = tfe_team.developers.id
  workspace_id = tfe_team_access.fixed.workspace_id
}

data "tfe_organization_membership" "member" {
  organization = tfe_organization.wide.name
  email        = tfe_organization_membership.member.email
}
