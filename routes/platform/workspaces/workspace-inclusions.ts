import { text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { users } from '../../../state/platform/accounts/users.ts'
import {
  reportedVersionOf,
  versionWithId,
} from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { organizations } from '../../../state/platform/organizations/organizations.ts'
import { seesTeam } from '../../../state/platform/organizations/team-changes.ts'
import { teamWithId } from '../../../state/platform/organizations/teams.ts'
import { readmeOf } from '../../../state/platform/runs/readmes.ts'
import { type Run, runWithId } from '../../../state/platform/runs/runs.ts'
import { currentStateVersion, outputsOf } from '../../../state/platform/states/state-versions.ts'
import { projectOf } from '../../../state/platform/workspaces/execution.ts'
import { overviewOf } from '../../../state/platform/workspaces/overview.ts'
import { hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import type { Workspace } from '../../../state/platform/workspaces/workspaces.ts'
import { userResource, userShape } from '../accounts/users.ts'
import { type Inclusion, inclusionsOf } from '../json-api/include.ts'
import { type Resource, resourceShape } from '../json-api/resource.ts'
import type { PlatformContext } from '../operation.ts'
import { organizationResource, organizationShape } from '../organizations/organization-resource.ts'
import { teamResource, teamShape } from '../organizations/team-resource.ts'
import { projectResource, projectShape } from '../projects/project-resource.ts'
import { planResource, planShape } from '../runs/plan-resource.ts'
import { runResource, runShape } from '../runs/run-resource.ts'
import {
  stateVersionResource,
  stateVersionShape,
  workspaceOutputResource,
  workspaceOutputShape,
} from '../states/state-version-resource.ts'
import { versionResource, versionShape } from '../test-runs/configuration-versions.ts'
import { ingressOf, ingressShape } from '../test-runs/ingress-attributes.ts'
import { effectiveBindings, effectiveShape, effectiveType } from './tag-resource.ts'

/**
 * Renders the user, team or run that locked a workspace. The list is empty without a lock, if the
 * user no longer exists, or if the caller may not see the team or the run.
 */
function lockHolder(workspace: Workspace, context: PlatformContext<unknown>): readonly Resource[] {
  const { world, caller } = context
  const { locked_by: id = null } = workspace
  if (id === null) return []
  const run = runWithId(world, id)
  if (run !== undefined) {
    return hasWorkspaceRight(world, caller, workspace, { runs: 'read' })
      ? [runResource(run, context)]
      : []
  }
  const team = teamWithId(world, id)
  if (team !== undefined) return seesTeam(world, caller, team) ? [teamResource(team, context)] : []
  const user = world.table(users).get(id)
  return user === undefined ? [] : [userResource(world, user, caller)]
}

/**
 * Returns the current configuration version of a workspace, or undefined if the workspace has none
 * or if the caller may not read its runs.
 */
function currentVersion(workspace: Workspace, { world, caller }: PlatformContext<unknown>) {
  if (!hasWorkspaceRight(world, caller, workspace, { runs: 'read' })) return undefined
  return reportedVersionOf(world, workspace.id)
}

const configurationVersion: Inclusion<Workspace> = {
  find(workspace, context) {
    const version = currentVersion(workspace, context)
    return version === undefined ? [] : [versionResource(version, context)]
  },
}

const currentCommit: Inclusion<Workspace> = {
  find(workspace, context) {
    const version = currentVersion(workspace, context)
    return version === undefined ? [] : ingressOf(version)
  },
}

const currentState: Inclusion<Workspace> = {
  find(workspace, context) {
    const { world, caller } = context
    const version = currentStateVersion(world, workspace.id)
    const isVisible = hasWorkspaceRight(world, caller, workspace, { state: 'read' })
    return version === undefined || !isVisible ? [] : [stateVersionResource(version, context)]
  },
}

const currentOutputs: Inclusion<Workspace> = {
  find(workspace, { world, caller }) {
    const version = currentStateVersion(world, workspace.id)
    const isVisible = hasWorkspaceRight(world, caller, workspace, { state: 'read-outputs' })
    if (version === undefined || !isVisible) return []
    return outputsOf(world, version).map(workspaceOutputResource)
  },
}

/**
 * Returns the current run of a workspace, or undefined if the workspace has none or if the caller
 * may not read its runs.
 */
function currentRun(
  workspace: Workspace,
  { world, caller }: PlatformContext<unknown>,
): Run | undefined {
  const id = overviewOf(world, workspace).currentRun?.id
  if (id === undefined || !hasWorkspaceRight(world, caller, workspace, { runs: 'read' }))
    return undefined
  return runWithId(world, id)
}

/**
 * Returns the inclusion of a part of the current run. The inclusion is empty if `currentRun` or
 * `render` returns undefined.
 */
function currentRunInclusion(
  render: (run: Run, context: PlatformContext<unknown>) => Resource | undefined,
): Inclusion<Workspace> {
  return {
    find(workspace, context) {
      const run = currentRun(workspace, context)
      const resource = run === undefined ? undefined : render(run, context)
      return resource === undefined ? [] : [resource]
    },
  }
}

const readmeShape = resourceShape('workspace-readme', struct({ 'raw-markdown': text }))

export const workspaceInclusions = inclusionsOf<Workspace>(
  {
    organization: {
      find({ organization: name }, { world, caller }) {
        const organization = world.table(organizations).get(name)
        return organization === undefined ? [] : [organizationResource(world, organization, caller)]
      },
    },
    project: {
      find(workspace, context) {
        const project = projectOf(context.world, workspace)
        return project === undefined ? [] : [projectResource(project, context)]
      },
    },
    'current-run': currentRunInclusion(runResource),
    'current-run.plan': currentRunInclusion(planResource),
    'current-run.configuration-version': currentRunInclusion(
      ({ configuration_version }, context) => {
        const version = versionWithId(context.world, configuration_version)
        return version === undefined ? undefined : versionResource(version, context)
      },
    ),
    'current-run.configuration-version.ingress-attributes': currentRunInclusion(
      ({ configuration_version }, { world }) => {
        const version = versionWithId(world, configuration_version)
        return version === undefined ? undefined : ingressOf(version)[0]
      },
    ),
    'current-configuration-version': configurationVersion,
    'current-configuration-version.ingress-attributes': currentCommit,
    'current-state-version': currentState,
    'locked-by': { find: lockHolder },
    readme: {
      find({ id }, { world }) {
        const markdown = readmeOf(world, id)
        if (markdown === undefined) return []
        return [{ id, type: 'workspace-readme', attributes: { 'raw-markdown': markdown } }]
      },
    },
    outputs: currentOutputs,
    [effectiveType]: {
      find: (workspace, { world }) => effectiveBindings(world, workspace),
      relationship: effectiveType,
    },
  },
  [
    organizationShape,
    projectShape,
    runShape,
    planShape,
    versionShape,
    stateVersionShape,
    workspaceOutputShape,
    userShape,
    teamShape,
    effectiveShape,
    readmeShape,
    ingressShape,
  ],
)
