import { Refusal } from '../../../state/kernel/refusal.ts'
import type { DialectName } from '../../../state/kernel/shape/dialect.ts'
import {
  any,
  bool,
  int,
  list,
  map,
  nullable,
  text,
  union,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import { agentPools } from '../../../state/platform/agents/agent-pools.ts'
import { addAgent, agentStatuses } from '../../../state/platform/agents/agents.ts'
import {
  type AssessmentRequest,
  addAssessment,
  assessmentRequestShape,
} from '../../../state/platform/assessments/creation.ts'
import {
  allSentRequests,
  emptyOutbox,
  type SentRequest,
} from '../../../state/platform/deliveries/sent-requests.ts'
import type { ModuleFixture } from '../../../state/platform/fixtures.ts'
import {
  addRunOutcomeRule,
  type RunOutcomeRule,
  removeRunOutcomeRules,
  runOutcomeRuleShape,
  runOutcomeRules,
} from '../../../state/platform/runs/outcome-rules.ts'
import { runLogOf } from '../../../state/platform/runs/run-log.ts'
import { runWithId } from '../../../state/platform/runs/runs.ts'
import { type OutboxMessage, outboxMessages } from '../../../state/platform/settings/outbox.ts'
import { currentLog } from '../../../state/platform/test-runs/current-log.ts'
import {
  type TestRun,
  testRuns,
  testRunWithId,
} from '../../../state/platform/test-runs/test-runs.ts'
import { type CommitEvent, commitEventShape } from '../../../state/platform/vcs/commit-event.ts'
import {
  type CommitEventResult,
  receiveCommits,
} from '../../../state/platform/vcs/receive-commits.ts'
import { ControlPart, type PartContext, partCalls } from '../../http/declare/control-call.ts'
import { answer, operationFor } from '../../http/declare/operation.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'
import { headersOf } from '../deliveries/request-headers.ts'

/** Mail or text message that was sent, with its time in RFC 3339. */
type SentMail = Omit<OutboxMessage, 'at'> & { readonly at: string }

/** Request that the platform sent, or would have sent, with its time in RFC 3339. */
type SentHttpRequest = Pick<SentRequest, 'id' | 'kind' | 'url' | 'body'> & {
  readonly at: string
  readonly headers: Readonly<Record<string, string>>
  readonly delivered: boolean
}

export type SentMessage = SentMail | SentHttpRequest

/** Private module and the organization that owns it. */
type NewModule = ModuleFixture & { readonly organization: string }

/** Calls of the control plane about the platform of one world. */
export class PlatformControl extends ControlPart {
  /**
   * Creates a private module, and its organization if the organization does not exist. An existing
   * module is updated with the given members.
   *
   * @throws {DocumentError} for unknown members
   * @throws Refusal for input that the API would refuse as well
   */
  module({ organization: name, ...module }: NewModule): void {
    const platform = { organizations: [{ name, modules: [module] }] }
    this.tools.addFixtures(this.world, { platform })
  }

  /**
   * Runs the due jobs, and returns every test run in its current state. The test runs of each
   * module are ordered from newest to oldest.
   */
  testRuns(): readonly TestRun[] {
    this.world.runDueJobs()
    return [...this.world.table(testRuns).rows()]
  }

  /**
   * Runs the due jobs, and returns the current log of a test run. Throws an `absent` refusal for an
   * unknown id.
   *
   * @param dialect dialect of the log's text
   */
  testRunLog(id: string, dialect: DialectName = 'neutral'): string {
    this.world.runDueJobs()
    const run = testRunWithId(this.world, id)
    if (run === undefined) throw new Refusal('absent', `there is no test run "${id}"`)
    return currentLog(this.world, run, dialect)
  }

  /** Returns the rules about the outcome of runs; the first matching rule applies. */
  runOutcomes(): readonly (RunOutcomeRule & { readonly id: string })[] {
    const rules = this.world.table(runOutcomeRules).entries()
    return Array.from(rules, ([id, rule]) => ({ id, ...rule }))
  }

  /**
   * Appends a rule about the outcome of runs that are planned later, and returns its id.
   *
   * @throws {InputError} for an invalid rule
   */
  addRunOutcome(rule: RunOutcomeRule): string {
    this.check(runOutcomeRuleShape, rule)
    return addRunOutcomeRule(this.world, rule)
  }

  /** Removes one rule, or all without an id. Throws an `absent` refusal for an unknown id. */
  removeRunOutcomes(id?: string): void {
    removeRunOutcomeRules(this.world, id)
  }

  /**
   * Adds an assessment, which becomes the current assessment of its workspace. Returns the id of
   * the assessment. Throws an `absent` refusal for an unknown workspace.
   */
  assess(request: AssessmentRequest): string {
    return addAssessment(this.world, request).id
  }

  /**
   * Runs the due jobs, and returns the current log of the plan or the apply of a run; empty if that
   * phase has no log. Throws an `absent` refusal for an unknown id.
   *
   * @param dialect dialect of the log's text
   */
  runLog(id: string, phase: 'plan' | 'apply' = 'plan', dialect: DialectName = 'neutral'): string {
    this.world.runDueJobs()
    const run = runWithId(this.world, id)
    if (run === undefined) throw new Refusal('absent', `there is no run "${id}"`)
    return runLogOf(this.world, run[phase].id, dialect) ?? ''
  }

  /**
   * Returns the mails, text messages and requests that the platform sent, oldest first.
   *
   * @param dialect dialect of the names of headers
   */
  outbox(dialect: DialectName = 'neutral'): readonly SentMessage[] {
    const messages = outboxMessages(this.world).map((message) => ({
      ...message,
      at: formatTimestamp(message.at),
    }))
    const requests = allSentRequests(this.world).map((request) => ({
      id: request.id,
      kind: request.kind,
      at: formatTimestamp(request.at),
      url: request.url,
      headers: headersOf(request, dialect),
      body: request.body,
      delivered: request.state === 'delivered',
    }))
    return [...messages, ...requests].sort((one, other) => numberOf(one) - numberOf(other))
  }

  /**
   * Adds an agent to the pool with a given id or name, and returns the id of the agent. Throws an
   * `absent` refusal for an unknown pool.
   */
  addAgent({ pool: wanted, name, status = 'idle', ip = '127.0.0.1' }: NewAgent): string {
    const { world } = this
    const pools = Array.from(world.table(agentPools).rows())
    const pool = pools.find(({ id, name: poolName }) => id === wanted || poolName === wanted)
    if (pool === undefined) throw new Refusal('absent', `there is no agent pool "${wanted}"`)
    const agent = { pool: pool.id, name: name ?? null, status, ip_address: ip }
    return world.write(() => addAgent(world, agent)).id
  }

  /**
   * Simulates a push to a repository. Returns the ids of the configuration versions and runs that
   * the push started in connected workspaces.
   *
   * @throws {InputError} for an invalid event
   */
  receiveCommits(event: CommitEvent): CommitEventResult {
    this.check(commitEventShape, event)
    return receiveCommits(this.world, event)
  }

  /** Deletes the messages that the platform sent. */
  emptyOutbox(): void {
    emptyOutbox(this.world)
  }
}

/** Returns the number in the id of a message. The number determines the order of messages. */
function numberOf({ id }: { readonly id: string }): number {
  return Number(id.slice('msg-'.length))
}

/** Messages of an outbox, oldest first. */
const outboxShape = struct({
  messages: list(
    union(
      struct({
        id: text,
        kind: word('mail', 'sms'),
        at: described(instant, "Time on the world's clock"),
        from: described(text, 'Address of the sender, or its phone number'),
        to: described(text, 'Mail address or phone number'),
        subject: described(nullable(text), 'Only for mails'),
        text,
        server: described(
          nullable(struct({ host: text, port: int })),
          'Mail server in the settings; null for text messages',
        ),
        delivered: described(
          bool,
          'Whether a real mail server accepted the message; other messages are only listed here',
        ),
      }),
      struct({
        id: text,
        kind: word('notification', 'run-task'),
        at: described(instant, "Time on the world's clock"),
        url: text,
        headers: map(text),
        body: map(any),
        delivered: described(bool, 'Whether the server at the address accepted the notification'),
      }),
    ),
  ),
})

const agentShape = struct({
  pool: described(text, 'Id or name of the pool'),
  name: optional(text),
  status: optional(word(...agentStatuses)),
  ip: optional(text),
})

/** Agent as a caller of the control plane declares it. */
type NewAgent = InputOf<typeof agentShape>

const call = partCalls(PlatformControl)
const operation = operationFor<PartContext>()

export const platformCalls = [
  call({
    id: 'readOutbox',
    route: 'GET /platform/outbox',
    summary: 'List the test mails, text messages and requests that were sent, oldest first.',
    reply: outboxShape,
    run: (platform, { context }) => ({ messages: platform.outbox(context.process.dialect) }),
  }),
  operation({
    id: 'readTestRunLog',
    method: 'GET',
    path: '/platform/test-runs/:id/log',
    summary: 'Return the log of a test run, without a request to the platform.',
    spec: 'behaviour/program#control-plane',
    reply: { 200: text },
    mediaType: 'text/plain',
    run: ({ context: { world, process }, params: { id } }) => {
      const log = world.part(PlatformControl).testRunLog(id, process.dialect)
      return answer(200, log, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
    },
  }),
  operation({
    id: 'readRunLog',
    method: 'GET',
    path: '/platform/runs/:id/log',
    summary: 'Return the log of a plan or an apply, without a request to the platform.',
    spec: 'behaviour/program#control-plane',
    query: withOthers(struct({ phase: optional(word('plan', 'apply')) }), any),
    reply: { 200: text },
    mediaType: 'text/plain',
    run: ({ context: { world, process }, params: { id }, query: { phase } }) => {
      const log = world.part(PlatformControl).runLog(id, phase, process.dialect)
      return answer(200, log, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
    },
  }),
  call({
    id: 'addAgent',
    route: 'POST /platform/agents',
    summary: 'Add an agent to a pool. Agents are records and run nothing.',
    body: agentShape,
    reply: struct({ id: text }),
    status: 201,
    run: (platform, { body }) => ({ id: platform.addAgent(body) }),
  }),
  call({
    id: 'listRunOutcomes',
    route: 'GET /platform/outcomes',
    summary: 'List the rules about the outcome of runs; the first matching rule applies.',
    reply: struct({ outcomes: list(struct({ id: text, ...runOutcomeRuleShape.fields })) }),
    run: (platform) => ({ outcomes: platform.runOutcomes() }),
  }),
  call({
    id: 'addRunOutcome',
    route: 'POST /platform/outcomes',
    summary: 'Add a rule: which runs (workspace, message, operation), and their outcome.',
    body: runOutcomeRuleShape,
    reply: struct({ id: text, ...runOutcomeRuleShape.fields }),
    status: 201,
    run: (platform, { body }) => ({ id: platform.addRunOutcome(body), ...body }),
  }),
  call({
    id: 'removeRunOutcomes',
    route: 'DELETE /platform/outcomes',
    summary: 'Delete all rules about the outcome of runs.',
    run: (platform) => platform.removeRunOutcomes(),
  }),
  call({
    id: 'removeRunOutcome',
    route: 'DELETE /platform/outcomes/:id',
    summary: 'Delete a rule about the outcome of runs.',
    run: (platform, { params: { id } }) => platform.removeRunOutcomes(id),
  }),
  call({
    id: 'addAssessment',
    route: 'POST /platform/assessments',
    summary: 'Add an assessment to a workspace: whether it drifted, and how its checks ended.',
    body: assessmentRequestShape,
    reply: struct({ id: text }),
    status: 201,
    run: (platform, { body }) => ({ id: platform.assess(body) }),
  }),
  call({
    id: 'pushCommit',
    route: 'POST /platform/pushes',
    summary: 'Simulate a push to a repository, which starts runs of the workspaces that follow it.',
    body: commitEventShape,
    reply: struct({ configurationVersions: list(text), runs: list(text) }),
    status: 201,
    run: (platform, { body }) => platform.receiveCommits(body),
  }),
  call({
    id: 'emptyOutbox',
    route: 'DELETE /platform/outbox',
    summary: 'Empty the outbox.',
    run: (platform) => platform.emptyOutbox(),
  }),
]
