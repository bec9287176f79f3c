import type { CaptureContext, CapturedFixtures } from './capture-context.ts'
import {
  entriesOf,
  itemsOf,
  memberOf,
  omitEmpty,
  type RealServer,
  RealServerError,
  textAt,
} from './real-server.ts'

/**
 * Members of a job that are not captured: those that the server sets, and the tokens of the user
 * who submitted the job.
 */
const computedMembers: ReadonlySet<string> = new Set([
  'CreateIndex',
  'ModifyIndex',
  'JobModifyIndex',
  'Version',
  'SubmitTime',
  'Stable',
  'Status',
  'StatusDescription',
  'Stop',
  'Dispatched',
  'DispatchIdempotencyToken',
  'VersionTag',
  'ConsulToken',
  'VaultToken',
  'NomadTokenID',
])

/**
 * Captures the namespaces, node pools, policies and jobs of a scheduler. Stopped jobs are left out
 * with a note, child jobs without one. Also adds a note if the server does not list its policies.
 */
export async function captureScheduler(
  server: RealServer,
  { notes }: CaptureContext,
): Promise<CapturedFixtures> {
  const namespaces = itemsOf(await server.get('namespaces')).filter(nameIsNot('default'))
  const nodePools = itemsOf(await server.get('node/pools')).filter(nameIsNot('default', 'all'))
  return {
    scheduler: omitEmpty({
      namespaces: namespaces.map((each) => ({
        name: textAt(each, 'Name'),
        ...omitEmpty({
          description: memberOf(each, 'Description'),
          meta: memberOf(each, 'Meta'),
        }),
      })),
      nodePools: nodePools.map((each) => ({
        name: textAt(each, 'Name'),
        ...omitEmpty({ description: memberOf(each, 'Description') }),
      })),
      policies: await capturePolicies(server, notes),
      jobs: await captureJobs(server, notes),
    }),
  }
}

function nameIsNot(...excluded: readonly string[]) {
  return (each: unknown) => !excluded.includes(textAt(each, 'Name'))
}

async function capturePolicies(server: RealServer, notes: string[]): Promise<readonly unknown[]> {
  let stubs: unknown
  try {
    stubs = await server.get('acl/policies')
  } catch (error) {
    if (!(error instanceof RealServerError) || error.status === undefined) throw error
    // The server does not enforce ACLs, or the token does not permit listing policies.
    notes.push(`policies: answered ${error.status}`)
  }
  const policies: unknown[] = []
  for (const stub of itemsOf(stubs)) {
    const name = textAt(stub, 'Name')
    const policy = await server.get(`acl/policy/${encodeURIComponent(name)}`)
    const { description } = omitEmpty({ description: memberOf(policy, 'Description') })
    const described = description === undefined ? {} : { description }
    policies.push({ name, ...described, rules: textAt(policy, 'Rules') })
  }
  return policies
}

async function captureJobs(server: RealServer, notes: string[]): Promise<readonly unknown[]> {
  const jobs: unknown[] = []
  for (const stub of itemsOf(await server.get('jobs?namespace=*'))) {
    const [id, namespace] = [textAt(stub, 'ID'), textAt(stub, 'Namespace')]
    // A parent job creates its child jobs again.
    if (textAt(stub, 'ParentID') !== '') continue
    const query = new URLSearchParams(namespace === '' ? {} : { namespace })
    const job = await server.get(`job/${encodeURIComponent(id)}?${query}`)
    if (memberOf(job, 'Stop') === true) notes.push(`job ${id}: the job was stopped`)
    else if (job !== undefined) jobs.push(toSubmittedJob(job))
  }
  return jobs
}

function toSubmittedJob(job: unknown): unknown {
  return withoutNulls(
    Object.fromEntries(entriesOf(job).filter(([name]) => !computedMembers.has(name))),
  )
}

/** Returns a value without null members at any depth. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member)]),
  )
}
