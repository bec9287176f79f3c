import { text, union } from '../../../state/kernel/shape/kinds.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { seesTeam } from '../../../state/platform/organizations/team-changes.ts'
import { teamWithId } from '../../../state/platform/organizations/teams.ts'
import { projectWithId } from '../../../state/platform/projects/projects.ts'
import {
  type AccessKind,
  projectAccess,
  workspaceAccess,
} from '../../../state/platform/team-access/access-levels.ts'
import {
  changeTeamAccess,
  createTeamAccess,
  deleteTeamAccess,
} from '../../../state/platform/team-access/changes.ts'
import { managesProject } from '../../../state/platform/team-access/rights.ts'
import {
  type TeamAccess,
  teamAccessTo,
  teamAccessWithId,
} from '../../../state/platform/team-access/team-access.ts'
import { checkRightOn, managesTeamAccess } from '../../../state/platform/workspaces/rights.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { ok } from '../../http/declare/operation.ts'
import { openQuery } from '../json-api/attributes.ts'
import { relatedId } from '../json-api/body.ts'
import { pageOf, pageOrAll } from '../json-api/pagination.ts'
import { listOf, unpagedListOf } from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { checkMember } from '../organizations/scopes.ts'
import {
  accessInput,
  accessInputOf,
  accessResource,
  accessShape,
  accessType,
} from './access-resource.ts'

type Reader = Pick<PlatformContext<unknown>, 'world' | 'caller'>

/**
 * Returns the organization of a workspace or project. Throws 404 unless the caller may read the
 * object or, with `manages`, may manage the access of teams to the object. Throws 401 if the
 * organization does not accept the caller's kind of token.
 */
function checkTarget({ world, caller }: Reader, id: string, manages: boolean): string {
  const project = projectWithId(world, id)
  if (project !== undefined) {
    checkMember(world, caller, project.organization)
    if (manages && !managesProject(world, caller, project, 'teams')) throw refuse('not-found')
    return project.organization
  }
  const workspace = requireFound(workspaceWithId(world, id))
  checkMember(world, caller, workspace.organization)
  if (!managesTeamAccess(world, caller, workspace)) {
    checkRightOn(world, caller, workspace, manages ? 'admin' : 'visible')
  }
  return workspace.organization
}

/** Returns whether the caller sees the team that an access belongs to. */
function isVisible({ world, caller }: Reader, { team: id }: TeamAccess): boolean {
  const team = teamWithId(world, id)
  return team !== undefined && seesTeam(world, caller, team)
}

function accessOperations<const Target extends 'workspace' | 'project'>(
  kind: AccessKind,
  target: Target,
) {
  const spec = 'behaviour/platform#team-access'
  const type = accessType(kind)
  const shape = accessShape(kind)
  const rendering = { shape, render: accessResource }
  const form = { type, attributes: accessInput(kind) }
  const noun = target === 'workspace' ? 'Workspace' : 'Project'
  const find = (scope: Scope, manages: boolean): TeamAccess => {
    const access = teamAccessWithId(scope.world, scope.params[`team_${target}_id`] ?? '')
    const isOfKind = access?.id.startsWith(`${kind.prefix}-`) === true
    const row = requireFound(isOfKind ? access : undefined)
    checkTarget(scope, row.target, manages)
    return requireFound(isVisible(scope, row) ? row : undefined)
  }
  /**
   * Returns the id unchanged if its prefix is that of a workspace or project, as `target` requires.
   * Throws 404 otherwise.
   */
  const requireKind = (id: string) =>
    requireFound(id.startsWith(target === 'project' ? 'prj-' : 'ws-') ? id : undefined)
  const onNoSubject = operationsOn('caller', () => undefined, spec)
  const onAccess = operationsOn('caller', (scope) => find(scope, false), spec)
  const onManagedAccess = operationsOn('caller', (scope) => find(scope, true), spec)
  const listPath = `/team-${target}s` as const
  const onePath = `${listPath}/:team_${target}_id` as const
  const filter = `filter[${target}][id]` as const
  return [
    onNoSubject('GET', listPath, {
      id: `listTeam${noun}s`,
      summary: `List the access of teams to a ${target}, newest first.`,
      query: openQuery({ [filter]: text }),
      failures: [400, 404],
      reply: { 200: union(unpagedListOf(shape), listOf(shape)) },
      run: ({ context, query }) => {
        const id: unknown = query[filter]
        if (typeof id !== 'string' || id === '') throw refuse('filter-missing', { target })
        checkTarget(context, requireKind(id), false)
        const rows = teamAccessTo(context.world, id).filter((row) => isVisible(context, row))
        const page = target === 'workspace' ? pageOrAll : pageOf
        return ok(page(rows.toReversed(), accessResource, context.address))
      },
    }),
    onNoSubject.document('POST', listPath, rendering, {
      id: `createTeam${noun}`,
      summary: `Grant a team access to a ${target}.`,
      body: form,
      failures: [404],
      run({ context, body }) {
        const parsed = body()
        const { world } = context
        const teamId = relatedId(parsed.relationships, 'team')
        const id = relatedId(parsed.relationships, target)
        const organization =
          id === undefined ? undefined : checkTarget(context, requireKind(id), true)
        const team = teamId === undefined ? undefined : requireFound(teamWithId(world, teamId))
        if (team !== undefined) {
          const isMissing = organization !== undefined && team.organization !== organization
          checkMember(world, context.caller, team.organization)
          if (isMissing || !seesTeam(world, context.caller, team)) throw refuse('not-found')
        }
        const input = accessInputOf(kind, parsed, context)
        return createTeamAccess(world, kind, teamId, id, input)
      },
    }),
    onAccess.document('GET', onePath, rendering, {
      id: `readTeam${noun}`,
      summary: `Read the access of a team to a ${target}.`,
      run: ({ context }) => context.subject,
    }),
    onManagedAccess.document('PATCH', onePath, rendering, {
      id: `changeTeam${noun}`,
      summary: `Change the access of a team to a ${target}.`,
      body: form,
      run({ context, body }) {
        const input = accessInputOf(kind, body(), context)
        return changeTeamAccess(context.world, context.subject, input)
      },
    }),
    onManagedAccess('DELETE', onePath, {
      id: `deleteTeam${noun}`,
      summary: `Revoke the access of a team to a ${target}.`,
      run: ({ context: { world, subject } }) => deleteTeamAccess(world, subject),
    }),
  ]
}

export const teamAccessOperations = [
  ...accessOperations(workspaceAccess, 'workspace'),
  ...accessOperations(projectAccess, 'project'),
]
