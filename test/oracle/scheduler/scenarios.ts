import {
  type Answer,
  type ComparedRequest,
  memberOf,
  rootRequest,
  type Target,
} from '../../../src/cli/compare/request.ts'

const jobPath = (id: string, what = '') => `job/${id}${what === '' ? '' : `/${what}`}`

interface GroupSpec {
  readonly count?: number
  readonly config?: object
  readonly tasks?: Readonly<Record<string, object>>
  readonly members?: object
}

/** Returns a job for the mock driver, which only test builds of real servers have. */
export function jobOf(id: string, type: string, group: GroupSpec, members: object = {}) {
  const { count = 1, config = { run_for: '300s' }, tasks = { t: { Config: config } } } = group
  const Tasks = Object.entries(tasks).map(([Name, task]) => ({
    Name,
    Driver: 'mock_driver',
    Resources: { CPU: 50, MemoryMB: 32 },
    ...task,
  }))
  const TaskGroups = [{ Name: 'g', Count: count, Tasks, ...group.members }]
  return { Job: { ID: id, Name: id, Type: type, Datacenters: ['*'], TaskGroups, ...members } }
}

/**
 * Returns a step of a scenario. After a step with the name `wait for ID`, the runner waits until
 * the job and the nodes have come to rest.
 */
export function step(name: string, method: string, path: string, body?: object): ComparedRequest {
  return { ...rootRequest(method, path, body), operation: name }
}

/** Returns the reads of a job and its allocations, evaluations, deployments and versions. */
export function look(name: string, id: string): readonly ComparedRequest[] {
  return ['allocations', 'evaluations', 'deployments', 'summary', 'versions', ''].map((what) =>
    step(`${name}, ${what || 'job'}`, 'GET', jobPath(id, what)),
  )
}

/** Returns the requests that remove a job with its evaluations. */
export function removal(id: string): readonly ComparedRequest[] {
  // Collecting garbage deletes the job's evaluations, so that the next run finds none.
  return [rootRequest('DELETE', `${jobPath(id)}?purge=true`), rootRequest('PUT', 'system/gc')]
}

/** A group's update block that ends quickly. */
const quickUpdate = {
  MaxParallel: 1,
  HealthCheck: 'task_states',
  MinHealthyTime: 100_000_000,
  HealthyDeadline: 3_000_000_000,
  ProgressDeadline: 5_000_000_000,
}

const noRestart = { Attempts: 0, Mode: 'fail', Interval: 60_000_000_000, Delay: 1_000_000_000 }
const oneRestart = { ...noRestart, Attempts: 1, Delay: 500_000_000 }
const nowhere = { LTarget: `\${attr.kernel.name}`, RTarget: 'nowhere', Operand: '=' }
const noReschedule = { Attempts: 0, Unlimited: false, Interval: 0, Delay: 0 }

type Scenario = readonly [name: string, jobs: readonly ReturnType<typeof jobOf>[]]

function service(id: string, group: GroupSpec, members?: object) {
  return jobOf(id, 'service', group, members)
}

/** Scenarios that register versions of a job, one after the other, and read the result of each. */
const scenarios: readonly Scenario[] = [
  ['a service', [service('s1', { count: 2 })]],
  ['a batch job ends', [jobOf('b1', 'batch', { config: { run_for: '100ms' } })]],
  [
    'a batch job fails',
    [
      jobOf('b2', 'batch', {
        config: { run_for: '100ms', exit_code: 3 },
        members: { RestartPolicy: noRestart, ReschedulePolicy: noReschedule },
      }),
    ],
  ],
  ['a system job', [jobOf('y1', 'system', {})]],
  ['a job without a node', [service('n1', {}, { Datacenters: ['nowhere'] })]],
  [
    'a rolling update succeeds',
    [
      service('u1', { count: 2, members: { Update: quickUpdate } }),
      service('u1', {
        count: 2,
        config: { run_for: '301s' },
        members: { Update: quickUpdate },
      }),
    ],
  ],
  [
    'an update fails and is not reverted',
    [
      service('u2', { members: { Update: quickUpdate } }),
      service('u2', {
        config: { run_for: '50ms', exit_code: 1 },
        members: {
          Update: quickUpdate,
          RestartPolicy: noRestart,
          ReschedulePolicy: noReschedule,
        },
      }),
    ],
  ],
  ['a count grows and shrinks', [1, 3, 1].map((count) => service('c1', { count }))],
  [
    'a hook before the main task',
    [
      service('h1', {
        tasks: {
          main: { Config: { run_for: '300s' } },
          before: { Config: { run_for: '50ms' }, Lifecycle: { Hook: 'prestart' } },
        },
      }),
    ],
  ],
  [
    'a batch job restarts and fails',
    [
      jobOf('r1', 'batch', {
        config: { run_for: '100ms', exit_code: 1 },
        members: { RestartPolicy: oneRestart, ReschedulePolicy: noReschedule },
      }),
    ],
  ],
  [
    'a system job ends on its node and runs again',
    [jobOf('y2', 'system', {}), jobOf('y2', 'system', {}, { Constraints: [nowhere] })].concat(
      jobOf('y2', 'system', { config: { run_for: '302s' } }),
    ),
  ],
  ['an in-place update', [50, 60].map((Priority) => service('i1', {}, { Priority }))],
]

/** Returns the sequences of the scenarios about one job. */
export function scenarioSequences(): readonly (readonly ComparedRequest[])[] {
  return scenarios.map(([name, versions]) => {
    const id = versions[0]?.Job.ID ?? ''
    const steps = versions.flatMap((body, at) => [
      step(`wait for ${id}`, 'POST', 'jobs', body),
      ...look(`${name}, version ${at}`, id),
    ])
    const stop = [step(`wait for ${id}`, 'DELETE', jobPath(id)), ...look(`${name}, stopped`, id)]
    return [...steps, ...stop, ...removal(id)]
  })
}

/** Seconds after which the runner stops waiting for a job to come to rest. */
const patience = 25

/**
 * Waits until no evaluation and no deployment of the job is under way, no task changes and no node
 * is drained.
 */
export async function waitForJob(target: Target, request: ComparedRequest): Promise<void> {
  const [, id] = /^wait for (\S+)$/.exec(request.operation) ?? []
  if (id === undefined) return
  let before = ''
  for (let round = 0; round < patience * 2; round++) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const bodies: string[] = []
    for (const what of ['evaluations', 'deployments', 'allocations']) {
      const { body } = await target.send(rootRequest('GET', jobPath(id, what)))
      bodies.push(JSON.stringify(body))
    }
    const nodes = await target.send(rootRequest('GET', 'nodes'))
    const isDraining = list(nodes.body).some((node) => memberOf(node, 'Drain') === true)
    const now = bodies.join()
    const isMoving = /"Status":"(?:pending|running)"|"ClientStatus":"pending"/.test(
      `${bodies[0]}${bodies[1]}${/"ClientStatus":"pending"/.exec(bodies[2] ?? '')?.[0] ?? ''}`,
    )
    if (now === before && !isMoving && !isDraining && round > 3) return
    before = now
  }
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown, name: string) => String(memberOf(value, name))

function allocationText(allocation: unknown): string {
  const states = Object.entries(Object(memberOf(allocation, 'TaskStates')))
  const tasks = states.map(([name, state]) => {
    const events = list(memberOf(state, 'Events')).map((event) => text(event, 'Type'))
    const failed = memberOf(state, 'Failed') === true ? ' failed' : ''
    return `${name} ${text(state, 'State')}${failed} [${events.join(', ')}]`
  })
  const health = memberOf(memberOf(allocation, 'DeploymentStatus'), 'Healthy')
  const parts = ['Name', 'JobVersion', 'DesiredStatus', 'DesiredDescription', 'ClientStatus']
  const description = parts.map((part) => text(allocation, part)).join(' ')
  return `${description} healthy ${String(health)}; ${tasks.sort().join('; ')}`
}

function deploymentText(deployment: unknown): string {
  const groups = Object.entries(Object(memberOf(deployment, 'TaskGroups'))).map(([name, state]) =>
    ['DesiredTotal', 'PlacedAllocs', 'HealthyAllocs', 'UnhealthyAllocs', 'Promoted']
      .map((part) => text(state, part))
      .join('/')
      .concat(` ${name}`),
  )
  const parts = ['JobVersion', 'Status', 'StatusDescription'].map((part) => text(deployment, part))
  return [...parts, ...groups].join(' ')
}

function evaluationText(evaluation: unknown): string {
  const parts = ['TriggeredBy', 'Status', 'StatusDescription', 'Type', 'Priority']
  const described = parts.map((part) => text(evaluation, part)).join(' ')
  return described.replace(/"[0-9a-f-]{36}"/g, '<id>')
}

/** Returns the text of a node: its drain, and the events since the latest one began. */
function nodeText(node: unknown): string {
  const strategy = memberOf(node, 'DrainStrategy')
  const last = memberOf(node, 'LastDrain')
  const events = list(memberOf(node, 'Events')).filter(
    (each) => text(each, 'Subsystem') === 'Drain',
  )
  const messages = events.map((event) => text(event, 'Message'))
  const latest = events.slice(messages.lastIndexOf('Node drain strategy set') + 1)
  // The product may complete a forced drain twice.
  const ends = new Set(latest.map((event) => text(event, 'Message')))
  const reached = latest.some((event) => memberOf(memberOf(event, 'Details'), 'deadline_reached'))
  return [
    ...['Status', 'SchedulingEligibility'].map((part) => text(node, part)),
    `deadline ${text(strategy, 'Deadline')} system ${text(strategy, 'IgnoreSystemJobs')}`,
    `last ${text(last, 'Status')} ${JSON.stringify(memberOf(last, 'Meta'))}`,
    `${[...ends].join(', ')}${reached ? ' at the deadline' : ''}`,
  ].join('; ')
}

function countsText(counts: unknown): string {
  const entries = Object.entries(Object(counts)).filter(([, count]) => count !== 0)
  return entries.sort().join(' ')
}

/** Returns the part of a reply that two clusters have in common: no IDs, times or order of rows. */
export function scenarioDigest({ status, body }: Answer, { path }: ComparedRequest): string {
  if (status >= 400) return `${status} ${String(body)}`
  if (/^node\/\$node\//.test(path)) return `evaluations: ${list(memberOf(body, 'EvalIDs')).length}`
  if (path === 'node/$node') return nodeText(body)
  const rendered = (render: (item: unknown) => string) => list(body).map(render).sort().join(' | ')
  if (path.endsWith('/allocations')) return rendered(allocationText)
  if (path.endsWith('/deployments')) return rendered(deploymentText)
  if (path.endsWith('/evaluations')) return rendered(evaluationText)
  if (path.endsWith('/summary')) {
    const groups = Object.entries(Object(memberOf(body, 'Summary')))
    return groups.map(([name, counts]) => `${name} ${countsText(counts)}`).join('; ')
  }
  if (path.endsWith('/versions')) {
    return list(memberOf(body, 'Versions'))
      .map((version) => `${text(version, 'Version')} stable ${text(version, 'Stable')}`)
      .join(', ')
  }
  return `${text(body, 'Status')} ${text(body, 'StatusDescription')} ${text(body, 'Stop')}`
}
