import { isJsonObject, type Json } from '../kernel/json.ts'
import type { InParts } from '../kernel/parts.ts'
import { Refusal } from '../kernel/refusal.ts'
import { any, list, map, name, text, textOf, union, word } from '../kernel/shape/kinds.ts'
import { described, optional, struct } from '../kernel/shape/members.ts'
import { inputMembers } from '../kernel/shape/schema.ts'
import type { InputOf } from '../kernel/shape/values.ts'
import { formatTimestamp } from '../kernel/time.ts'
import { type LoadPart, loadUntilRefused } from '../kernel/worlds/document-loading.ts'
import type { World } from '../kernel/worlds/world.ts'
import { readRules } from './acl/rules.ts'
import { aclPolicies } from './acl/tables.ts'
import { findTokenBySecret, storeToken } from './acl/token-bodies.ts'
import { nodes } from './cluster/model/tables.ts'
import { addOutcomeRule, outcomeRuleShape } from './cluster/model/task-outcomes.ts'
import { addNodePool } from './cluster/nodes/node-pools.ts'
import { allNodes, nodeSettingsShape, putNode } from './cluster/nodes/nodes.ts'
import { decodeValue, emptyInput } from './decoding.ts'
import { nextIndex } from './indexes.ts'
import { type InputJob, jobShape } from './job/job-shape.ts'
import { parseJobFile } from './job-file/parse.ts'
import { registerJob } from './jobs/registration.ts'
import { registerShape } from './jobs/request-shapes.ts'
import { refuse } from './messages.ts'
import { namespaceShape, putNamespace } from './namespaces.ts'

const policyFixture = struct({
  name: textOf({ pattern: '^[a-zA-Z0-9-]{1,128}$' }),
  description: optional(text),
  rules: described(text, 'Rules as HCL or JSON'),
})

const tokenFixture = struct({
  secret: described(name, 'SecretID of the token, which callers send'),
  accessor: optional(textOf({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })),
  name: optional(text),
  type: optional(word('client', 'management')),
  policies: optional(described(list(name), 'Names')),
})

export const jobFixture = described(
  union(name, map(any)),
  "Text of a job file, or a job in the API's form, in a `Job` member or alone",
)

const fixturesShape = struct({
  namespaces: optional(
    list(struct({ name, description: optional(text), meta: optional(map(text)) })),
  ),
  nodePools: optional(list(struct({ name, description: optional(text) }))),
  nodes: optional(
    described(list(nodeSettingsShape), 'Nodes of the world, instead of the default nodes'),
  ),
  outcomes: optional(
    described(
      list(outcomeRuleShape),
      'Outcomes of tasks; the first rule that matches a task applies',
    ),
  ),
  policies: optional(list(policyFixture)),
  tokens: optional(list(tokenFixture)),
  jobs: optional(
    described(list(jobFixture), 'Jobs, which are registered in this order as by a client'),
  ),
})

type PolicyFixture = InputOf<typeof policyFixture>
type TokenFixture = InputOf<typeof tokenFixture>

/**
 * A job of a fixtures document: the text of a job file, or the API's JSON with or without the
 * enclosing `Job` member.
 */
export type JobFixture = string | Readonly<Record<string, unknown>>

/** Scheduler part of a fixtures document. */
export type SchedulerFixtures = Omit<InputOf<typeof fixturesShape>, 'jobs'> & {
  /**
   * Jobs. The type is wider than the shape's type, so that values with other TypeScript types are
   * accepted.
   */
  readonly jobs?: readonly JobFixture[]
}

export const schedulerFixtures = inputMembers(fixturesShape)

/**
 * Loads the scheduler part of a fixtures document, pausing after each entry. If the document has
 * nodes, these nodes replace all nodes of the world. Must run inside a transaction.
 *
 * @throws Refusal 400 for an entry that the API would refuse and for a token whose secret is in
 *   use, unless `part` collects the refusals
 */
export function* loadScheduler(
  world: World,
  fixtures: SchedulerFixtures,
  part: LoadPart = loadUntilRefused,
): InParts<void> {
  function* loadEach<T>(
    name: string,
    items: readonly T[] | undefined,
    load: (item: T) => void,
  ): InParts<void> {
    for (const [at, item] of (items ?? []).entries()) {
      part(() => loadAtPosition(name, at, () => load(item)))
      yield
    }
  }
  yield* loadEach('namespaces', fixtures.namespaces, ({ name: Name, description, meta }) => {
    const input = { Name, Description: description ?? '', Meta: meta ?? null }
    putNamespace(world, decodeValue(input, namespaceShape))
  })
  yield* loadEach('nodePools', fixtures.nodePools, ({ name, description }) => {
    addNodePool(world, name, description ?? '')
  })
  if (fixtures.nodes !== undefined) removeNodes(world)
  yield* loadEach('nodes', fixtures.nodes, (node) => putNode(world, node))
  yield* loadEach('outcomes', fixtures.outcomes, (rule) => addOutcomeRule(world, rule))
  yield* loadEach('policies', fixtures.policies, (policy) => addPolicy(world, policy))
  yield* loadEach('tokens', fixtures.tokens, (token) => addToken(world, token))
  yield* loadEach('jobs', fixtures.jobs, (job) => void registerFixture(world, job))
}

/** Loads an entry of a list. A refusal is rethrown with the list and the position of the entry. */
function loadAtPosition(list: string, at: number, load: () => void): void {
  try {
    load()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('fixture-refused', { list, at, why: error.reason })
  }
}

function removeNodes(world: World): void {
  for (const { ID } of allNodes(world)) world.table(nodes).delete(ID)
}

function addPolicy(world: World, { name: Name, description, rules }: PolicyFixture): void {
  readRules(rules)
  const index = nextIndex(world)
  world.table(aclPolicies).put(Name, {
    Name,
    Description: description ?? '',
    Rules: rules,
    CreateIndex: index,
    ModifyIndex: index,
  })
}

function addToken(world: World, token: TokenFixture): void {
  const { secret, policies = [], type = 'client' } = token
  if (findTokenBySecret(world, secret) !== undefined) {
    throw refuse('fixture-token-again', { secret })
  }
  const index = nextIndex(world)
  storeToken(world, {
    AccessorID: token.accessor ?? world.ids.uuid(),
    SecretID: secret,
    Name: token.name ?? '',
    Type: type,
    Policies: policies.length === 0 ? null : policies,
    Global: type === 'management',
    CreateTime: formatTimestamp(world.clock.now()),
    CreateIndex: index,
    ModifyIndex: index,
  })
}

/**
 * Registers a job with the rights of a management token, and returns the job's ID.
 *
 * @throws Refusal for a job that the API would refuse
 */
export function registerFixture(world: World, fixture: JobFixture): string {
  const job = inputJob(world, fixture)
  const request = { ...emptyInput(registerShape), Job: job }
  registerJob(world, request, {
    authorize: () => {},
    authorizeVolumes: () => {},
    accessorId: '',
    isVendor: false,
  })
  // A registered job always has an ID.
  return String(job.ID)
}

function inputJob(world: World, fixture: JobFixture): InputJob {
  if (typeof fixture === 'string') {
    return parseJobFile(fixture, { uuid: () => world.ids.uuid() })
  }
  // A validated document contains only JSON.
  const input = fixture as Json
  const { Job: jobMember = input } = isJsonObject(input) ? input : {}
  return decodeValue(jobMember, jobShape)
}
