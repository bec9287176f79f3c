import type { Captured, Taking } from './captured.ts'
import {
  entriesOf,
  itemsOf,
  memberOf,
  NoAnswer,
  type RealServer,
  textIn,
  withoutBlanks,
} from './real-server.ts'

/** Members of a job that the server says, not its owner. */
const serversOwn: ReadonlySet<string> = new Set([
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

/** Takes what a scheduler has: namespaces, node pools, policies and jobs. */
export async function captureScheduler(server: RealServer, { notes }: Taking): Promise<Captured> {
  const namespaces = itemsOf(await server.get('namespaces')).filter(isNamed('default'))
  const nodePools = itemsOf(await server.get('node/pools')).filter(isNamed('default', 'all'))
  return {
    scheduler: withoutBlanks({
      namespaces: namespaces.map((each) => ({
        name: textIn(each, 'Name'),
        ...withoutBlanks({
          description: memberOf(each, 'Description'),
          meta: memberOf(each, 'Meta'),
        }),
      })),
      nodePools: nodePools.map((each) => ({
        name: textIn(each, 'Name'),
        ...withoutBlanks({ description: memberOf(each, 'Description') }),
      })),
      policies: await policiesOf(server, notes),
      jobs: await jobsOf(server, notes),
    }),
  }
}

function isNamed(...left: readonly string[]) {
  return (each: unknown) => !left.includes(textIn(each, 'Name'))
}

async function policiesOf(server: RealServer, notes: string[]): Promise<readonly unknown[]> {
  let stubs: unknown
  try {
    stubs = await server.get('acl/policies')
  } catch (error) {
    if (!(error instanceof NoAnswer) || error.status === undefined) throw error
    // ACLs are not enforced, or may not be seen.
    notes.push(`policies: answered ${error.status}`)
  }
  const policies: unknown[] = []
  for (const stub of itemsOf(stubs)) {
    const name = textIn(stub, 'Name')
    const policy = await server.get(`acl/policy/${encodeURIComponent(name)}`)
    const { description } = withoutBlanks({ description: memberOf(policy, 'Description') })
    const said = description === undefined ? {} : { description }
    policies.push({ name, ...said, rules: textIn(policy, 'Rules') })
  }
  return policies
}

async function jobsOf(server: RealServer, notes: string[]): Promise<readonly unknown[]> {
  const jobs: unknown[] = []
  for (const stub of itemsOf(await server.get('jobs?namespace=*'))) {
    const [id, namespace] = [textIn(stub, 'ID'), textIn(stub, 'Namespace')]
    // Children come of their parents.
    if (textIn(stub, 'ParentID') !== '') continue
    const query = new URLSearchParams(namespace === '' ? {} : { namespace })
    const job = await server.get(`job/${encodeURIComponent(id)}?${query}`)
    if (memberOf(job, 'Stop') === true) notes.push(`job ${id}: it was stopped`)
    else if (job !== undefined) jobs.push(asOwnersSay(job))
  }
  return jobs
}

function asOwnersSay(job: unknown): unknown {
  return dense(Object.fromEntries(entriesOf(job).filter(([name]) => !serversOwn.has(name))))
}

/** Without null members, at every depth. */
function dense(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dense)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, dense(member)]),
  )
}
