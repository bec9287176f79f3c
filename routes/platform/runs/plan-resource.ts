import { bool, int, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { optional, secret, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { agentPoolWithId } from '../../../state/platform/agents/agent-pools.ts'
import { agentsOf, agentWithId } from '../../../state/platform/agents/agents.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import { partStatuses, partTimes } from '../../../state/platform/runs/run-parts.ts'
import type { Run, RunPart } from '../../../state/platform/runs/runs.ts'
import { stateVersionsOfRun } from '../../../state/platform/states/state-versions.ts'
import { executionOf } from '../../../state/platform/workspaces/execution.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { timestampRenderer } from '../json-api/attributes.ts'
import { flags, type Resource, relationsOf, resourceShape, selfLink } from '../json-api/resource.ts'
import { objectUrl } from '../objects/object-url.ts'
import type { PlatformContext } from '../operation.ts'

const timesRenderer = timestampRenderer(partTimes.fields)

const partAttributes = {
  status: word(...partStatuses),
  'status-timestamps': timesRenderer.shape,
  'log-read-url': secret(text),
  'execution-details': struct({
    mode: text,
    'agent-id': optional(nullable(text)),
    'agent-name': optional(nullable(text)),
    'agent-pool-id': optional(text),
    'agent-pool-name': optional(text),
  }),
  'resource-additions': nullable(int),
  'resource-changes': nullable(int),
  'resource-destructions': nullable(int),
  'resource-imports': nullable(int),
}

/** Shape of a plan (behaviour/platform#plans-and-applies). */
export const planShape = resourceShape(
  'plans',
  struct({
    ...partAttributes,
    'has-changes': bool,
    'generated-configuration': bool,
    actions: flags(['is-exportable']),
    permissions: flags(['can-export']),
  }),
  {
    relationships: struct({
      'state-versions': relationsOf('state-versions'),
      exports: relationsOf('plan-exports'),
    }),
    links: struct({ self: text, 'json-output': text }),
  },
)

/** Shape of an apply (behaviour/platform#plans-and-applies). */
export const applyShape = resourceShape('applies', struct(partAttributes), {
  relationships: struct({ 'state-versions': relationsOf('state-versions') }),
  links: selfLink,
})

type LinkContext = Pick<PlatformContext<unknown>, 'world' | 'origin'>

/**
 * Returns the execution mode of a run, its agent and its agent pool. For a run that no agent pool
 * executes, returns only the mode `remote`. In worlds that do not require agents, a run without an
 * agent shows the first agent of its pool.
 */
function executionDetails(world: World, { workspace: id, agent: agentId }: Run) {
  const workspace = workspaceWithId(world, id)
  const { mode = 'remote', pool: poolId = null } = {
    ...(workspace === undefined ? {} : executionOf(world, workspace)),
  }
  const pool = mode === 'agent' && poolId !== null ? agentPoolWithId(world, poolId) : undefined
  if (pool === undefined) return { mode: 'remote' }
  const [first] = optionsOf(world).agentsRequired ? [] : agentsOf(world, pool.id)
  const agent = agentId === undefined ? first : agentWithId(world, agentId)
  return {
    mode,
    'agent-id': agent?.id ?? null,
    'agent-name': agent?.name ?? null,
    'agent-pool-id': pool.id,
    'agent-pool-name': pool.name,
  }
}

function attributesOf({ status, reached, counts, log }: RunPart, run: Run, context: LinkContext) {
  return {
    status,
    'status-timestamps': timesRenderer.render(reached),
    'log-read-url': objectUrl(context, log),
    'execution-details': executionDetails(context.world, run),
    'resource-additions': counts?.add ?? null,
    'resource-changes': counts?.change ?? null,
    'resource-destructions': counts?.destroy ?? null,
    'resource-imports': counts?.import ?? null,
  }
}

export function planResource(run: Run, context: LinkContext): Resource {
  const { plan, has_changes } = run
  const self = `/api/v2/plans/${plan.id}`
  return {
    id: plan.id,
    type: 'plans',
    attributes: {
      ...attributesOf(plan, run, context),
      'has-changes': has_changes,
      'generated-configuration': false,
      actions: { 'is-exportable': false },
      permissions: { 'can-export': false },
    },
    relationships: { 'state-versions': { data: [] }, exports: { data: [] } },
    links: { self, 'json-output': `${self}/json-output` },
  }
}

export function applyResource(run: Run, context: LinkContext): Resource {
  const { id, apply } = run
  const versions = stateVersionsOfRun(context.world, id)
  return {
    id: apply.id,
    type: 'applies',
    attributes: attributesOf(apply, run, context),
    relationships: {
      'state-versions': { data: versions.map((one) => ({ id: one.id, type: 'state-versions' })) },
    },
    links: { self: `/api/v2/applies/${apply.id}` },
  }
}
