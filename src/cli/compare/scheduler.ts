import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import { setAlarm } from '../../../state/kernel/time.ts'
import type { ComparedApi, ComparisonToken } from './compared-api.ts'
import { knownDifferences } from './known-differences.ts'
import { type Answer, type ComparedRequest, memberOf, rootRequest, type Target } from './request.ts'
import { schedulerSequences } from './scheduler-requests.ts'
import { unknownId } from './scheduler-values.ts'

const managementToken = '11111111-2222-3333-4444-555555555555'

function sendAsRoot(target: Target, method: string, path: string, body?: object): Promise<Answer> {
  return target.send({ ...rootRequest(method, path, body), token: target.token })
}

/** Maximum number of polls for open evaluations. */
const maxPolls = 500

/** Milliseconds between two polls. */
const pollInterval = 10

/**
 * Polls after a write until no evaluation of the comparison's jobs is pending; gives up after
 * `maxPolls` polls.
 */
async function waitForEvaluations(target: Target, { method }: ComparedRequest): Promise<void> {
  if (method === 'GET') return
  for (let poll = 0; poll < maxPolls; poll++) {
    const open = (await rowsOf(target, 'evaluations?namespace=*')).filter(
      (row) =>
        textMember(row, 'Status') === 'pending' && isFromComparison(textMember(row, 'JobID')),
    )
    if (open.length === 0) return
    await new Promise<void>((resolve) => void setAlarm(pollInterval, resolve))
  }
}

async function rowsOf(target: Target, path: string): Promise<readonly unknown[]> {
  const { body } = await sendAsRoot(target, 'GET', path)
  return Array.isArray(body) ? body : []
}

function textMember(row: unknown, name: string): string {
  return String(memberOf(row, name) ?? '')
}

/** Returns true if the name belongs to an object that sequences create. */
function isFromComparison(name: string): boolean {
  return /^(?:nomad\/jobs\/)?understudy/.test(name)
}

/**
 * Lists of the API that may contain objects which sequences created. Each comes with the member
 * that identifies an object, and the path that deletes the object.
 */
const createdResources: readonly (readonly [
  list: string,
  by: string,
  path: (row: unknown) => string,
])[] = [
  [
    'jobs?namespace=*',
    'ID',
    (row) =>
      `job/${encodedMember(row, 'ID')}?purge=true&namespace=${encodedMember(row, 'Namespace')}`,
  ],
  [
    'vars?namespace=*',
    'Path',
    (row) => `var/${textMember(row, 'Path')}?namespace=${textMember(row, 'Namespace')}`,
  ],
  ['acl/roles', 'Name', (row) => `acl/role/${textMember(row, 'ID')}`],
  ['acl/policies', 'Name', (row) => `acl/policy/${encodedMember(row, 'Name')}`],
  ['namespaces', 'Name', (row) => `namespace/${encodedMember(row, 'Name')}`],
]

function encodedMember(row: unknown, name: string): string {
  return encodeURIComponent(textMember(row, name))
}

/**
 * Returns true if the server has no nodes, and only objects that are built in or that sequences
 * created.
 */
async function isExclusive(target: Target): Promise<boolean> {
  for (const [list, nameMember] of createdResources) {
    const rows = await rowsOf(target, list)
    if (
      !rows.every(
        (row) =>
          isFromComparison(textMember(row, nameMember)) ||
          isBuiltIn(list, textMember(row, nameMember)),
      )
    )
      return false
  }
  return (await rowsOf(target, 'nodes')).length === 0
}

function isBuiltIn(list: string, name: string): boolean {
  return list === 'namespaces' && name === 'default'
}

/**
 * Removes the objects of a sequence. Garbage collection is only requested on a server without other
 * users' jobs.
 */
async function removeResources(target: Target, answers: readonly Answer[], exclusive: boolean) {
  for (const { body } of answers) {
    const token = textMember(body, 'SecretID')
    if (token === '' || token === target.token) continue
    await sendAsRoot(target, 'DELETE', `acl/token/${textMember(body, 'AccessorID')}`)
  }
  for (const [list, nameMember, path] of createdResources) {
    for (const row of await rowsOf(target, list)) {
      if (isFromComparison(textMember(row, nameMember)))
        await sendAsRoot(target, 'DELETE', path(row))
    }
  }
  // Garbage collection removes evaluations and stopped jobs.
  if (exclusive) await sendAsRoot(target, 'PUT', 'system/gc')
}

/** Cluster that the jobs API is compared with. */
interface ComparedCluster {
  readonly dialect: DialectName
  /** False if ACLs are off. Default: true. */
  readonly acl?: boolean
  /** False if the cluster holds other users' objects. Default: true. */
  readonly exclusive?: boolean
}

/**
 * Returns the settings of a comparison of the jobs API. The mock has no nodes, so it places no
 * jobs.
 */
export function comparedScheduler(cluster: ComparedCluster): ComparedApi {
  const { dialect, acl = true, exclusive = true } = cluster
  const setting = { aclEnabled: acl, timeScale: 0 }
  const options = acl ? { ...setting, initialManagementToken: managementToken } : setting
  return {
    name: 'scheduler',
    tokenHeader: dialect === 'vendor' ? 'x-nomad-token' : 'x-sched-token',
    token: acl ? managementToken : '',
    setUp: { options: { scheduler: options }, fixtures: { scheduler: { nodes: [] } } },
    variables: [
      { name: '$eval', operationPattern: /Job$/, memberPath: ['EvalID'], initialValue: unknownId },
      {
        name: '$index',
        operationPattern: /^(?:readJob|readVariable)$/,
        memberPath: ['ModifyIndex'],
        initialValue: 1,
      },
      {
        name: '$index',
        operationPattern: /^(?:register|update)Job$/,
        memberPath: ['JobModifyIndex'],
      },
      { name: '$role', operationPattern: /AclRole$/, memberPath: ['ID'], initialValue: unknownId },
      {
        name: '$accessor',
        operationPattern: /^createJobAclToken$/,
        memberPath: ['AccessorID'],
        initialValue: unknownId,
      },
      {
        name: '$token',
        operationPattern: /^createJobAclToken$/,
        memberPath: ['SecretID'],
        initialValue: unknownId,
      },
      {
        name: '$policy',
        operationPattern: /^listScalingPolicies$/,
        memberPath: ['0', 'ID'],
        initialValue: unknownId,
      },
      // Only replies about the deployments of one job set this variable, so that sequences never
      // change the deployments of other users' jobs.
      {
        name: '$deployment',
        operationPattern: /^(?:read|list)JobDeployments?$/,
        memberPath: ['0', 'ID'],
        initialValue: unknownId,
      },
    ],
    // Members of the enterprise edition, members of volumes, and members of jobs that the mock only
    // stores if a client sent them.
    ignoredMembers: new Set([
      ...['ConsulNamespace', 'VaultNamespace', 'DispatchIdempotencyToken', 'UI', 'IsPack'],
      ...['Consul', 'Disconnect', 'PreventRescheduleOnLost', 'RenderTemplates', 'Actions'],
      ...['Identity', 'Identities', 'Schedule', 'Cores', 'MemoryMaxMB', 'NUMA', 'SecretsMB'],
      'ConsulConfiguration',
      'VaultConfiguration',
      'NodePoolConfiguration',
      'VolumeEvalID',
      'VolumeEvalIndex',
    ]),
    placeholderFor(name, value) {
      if (name === 'Hash' && value !== null) return '<Hash>'
      // The number is not compared, because a server may have nodes outside the job's datacenters.
      if (name === 'NodesInPool') return '<nodes>'
      if (typeof value !== 'number' || value <= 0) return undefined
      if (/Index$/.test(name)) return '<index>'
      return /Time(?:Unix)?$/.test(name) ? '<time>' : undefined
    },
    replacements: [
      [/\bindex(es)?:? \d+/g, 'index$1 <index>'],
      [/\/dispatch-\d+-[0-9a-f]{8}\b/g, '/<dispatched>'],
      [/\/periodic-\d+\b/g, '/<periodic>'],
    ],
    sequences: (longest) => schedulerSequences(longest, { dialect, exclusive: exclusive }),
    before: [],
    after: [],
    ...(acl ? { comparisonToken: runToken } : {}),
    waitForCompletion: waitForEvaluations,
    cleanUp: (target, answers) => removeResources(target, answers, exclusive),
    // Without this member, a real server would place the job on its nodes.
    requiredMembers: new Set(['Datacenters']),
    known: knownDifferences('scheduler'),
  }
}

const runToken: ComparisonToken = {
  create: (target) =>
    sendAsRoot(target, 'POST', 'acl/token', { Name: 'understudy-compare', Type: 'management' }),
  tokenPath: ['SecretID'],
  revocation: (_, answer) =>
    rootRequest('DELETE', `acl/token/${memberOf(answer.body, 'AccessorID')}`),
}

/** Reads from a real cluster the settings that fit a comparison with this cluster. */
export async function inspectCluster(
  target: Target,
  dialect: DialectName,
): Promise<ComparedCluster> {
  return { dialect, acl: target.token !== '', exclusive: await isExclusive(target) }
}
