import { isObject } from '../../../state/kernel/objects.ts'
import { parseTimestamp } from '../../../state/kernel/time.ts'
import { aclTokens } from '../../../state/scheduler/acl/tables.ts'
import { findJob, jobVersionsOf } from '../../../state/scheduler/records/store.ts'
import { jobs } from '../../../state/scheduler/records/tables.ts'
import type {
  Amendment,
  Correction,
  ExplainedRequest,
} from '../../http/journal-hooks/api-explanations.ts'
import { fitToShape } from '../../http/journal-hooks/fitting-values.ts'
import { paramsOf } from '../../http/journal-hooks/path-params.ts'
import {
  type Corrector,
  correctionsByRule,
  labelsUpTo,
  managementCorrections,
  type RefusedRequest,
  withMember,
} from '../../http/journal-hooks/token-corrections.ts'
import { apiPrefix } from '../documents.ts'
import type { SchedulerOperation } from '../operation.ts'

const labelFor = labelsUpTo(100)

const { managementHeaders, withManagementToken, withToken } = managementCorrections(
  ({ world, at }) =>
    [...world.table(aclTokens).rows()].find(
      ({ Type, ExpirationTime }) =>
        Type === 'management' &&
        (ExpirationTime == null || (parseTimestamp(ExpirationTime) ?? 0) > at),
    )?.SecretID,
)

/**
 * Returns a correction that replaces the request by a different one, with a management token if one
 * exists.
 */
function send(
  request: RefusedRequest,
  method: string,
  path: string,
  body?: unknown,
  { change, query = {} }: { readonly change?: string; readonly query?: Amendment['query'] } = {},
): Correction {
  const dropped = Object.keys(request.query).filter((name) => name !== 'namespace')
  return {
    ...(change !== undefined && { change }),
    request: {
      method,
      path,
      query: { ...Object.fromEntries(dropped.map((name) => [name, undefined])), ...query },
      headers: { ...managementHeaders(request) },
      ...(body !== undefined && { body: () => body }),
    },
  }
}

function exampleJob(id: string, extraMembers: object = {}): object {
  const task = { Name: 'app', Driver: 'docker', Config: { image: 'nginx' } }
  return {
    ID: id,
    Name: id,
    Type: 'service',
    Datacenters: ['*'],
    TaskGroups: [{ Name: 'app', Count: 1, Tasks: [task] }],
    ...extraMembers,
  }
}

function namespaceOf({ query }: ExplainedRequest): string {
  return [query['namespace']].flat()[0] ?? 'default'
}

function idOf(request: ExplainedRequest): string {
  return paramsOf(request, apiPrefix)['id'] ?? ''
}

/** Suggests registering the missing job. */
const registerMissingJob: Corrector = (request) => {
  const Job = exampleJob(idOf(request), { Namespace: namespaceOf(request) })
  return send(request, 'POST', `${apiPrefix}/jobs`, { Job })
}

/**
 * Suggests registering a minimal job in place of a missing or invalid one. The minimal job has the
 * ID from the request, with invalid characters replaced.
 */
const sendExampleJob: Corrector = (request) => {
  const job = Object(Object(request.body)['Job'])
  const sentId = typeof job['ID'] === 'string' ? job['ID'] : idOf(request)
  const id = sentId.replaceAll(/[^\w./-]+/g, '-') || 'example'
  const { Namespace } = job
  const extraMembers = typeof Namespace === 'string' ? { Namespace } : {}
  const path = request.path.replace(/\/job\/(?:[^/]+)(\/plan)?$/, `/job/${id}$1`)
  return {
    change: 'Start with a minimal valid job',
    request: { path, body: () => ({ Job: exampleJob(id, extraMembers) }) },
  }
}

/** Suggests creating the namespace in the path; undefined for an invalid name. */
const createNamespace: Corrector = (request) => {
  const { name = '' } = paramsOf(request, apiPrefix)
  if (!/^[a-z\d-]{1,128}$/i.test(name)) return undefined
  return send(request, 'POST', `${apiPrefix}/namespace`, { Name: name })
}

/**
 * Suggests stopping a job of the namespace, because a namespace with running jobs cannot be
 * deleted; undefined if all its jobs are stopped.
 */
const stopRunningJob: Corrector = (request) => {
  const { name = '' } = paramsOf(request, apiPrefix)
  const [job] = [...request.world.table(jobs).rows(`${name} `)].filter((each) => !each.Stop)
  if (job === undefined) return undefined
  const change = `Stop the jobs of the namespace first, such as ${job.ID}`
  const path = `${apiPrefix}/job/${encodeURI(job.ID)}`
  return send(request, 'DELETE', path, undefined, { change, query: { namespace: name } })
}

/** Suggests reading an object that cannot be changed. */
const readObject: Corrector = (request) =>
  send(request, 'GET', request.path, undefined, {
    change: `Read the object with GET ${request.path}`,
  })

/** Suggests scaling an existing group of the job; undefined if the job has no group. */
const scaleGroup: Corrector = (request) => {
  const group = findJob(request.world, namespaceOf(request), idOf(request))?.TaskGroups?.[0]?.Name
  return group === undefined ? undefined : withMember('Target', () => ({ Group: group }))(request)
}

/**
 * Returns a correction that calls an operation whose path is below the job's, such as `versions`.
 */
function sendToJob(method: string, part: string, what: string): Corrector {
  return (request) => {
    const path = `${apiPrefix}/job/${encodeURI(idOf(request))}/${part}`
    const body = method === 'POST' ? { JobID: idOf(request) } : undefined
    return send(request, method, path, body, { change: `${what} with ${method} ${path}` })
  }
}

/**
 * Suggests reverting to another version. If the job has only one version, suggests listing the
 * versions.
 */
const revertToOtherVersion: Corrector = (request) => {
  const [current, other] = jobVersionsOf(request.world, namespaceOf(request), idOf(request))
  if (current === undefined || other === undefined) {
    return sendToJob('GET', 'versions', 'List the versions of the job')(request)
  }
  return withMember('JobVersion', () => other.Version)(request)
}

/** Suggests registering a parameterized job, because only such jobs can be dispatched. */
const registerParameterized: Corrector = (request) => {
  const extraMembers = { Type: 'batch', ParameterizedJob: {}, Namespace: namespaceOf(request) }
  const Job = exampleJob(`${idOf(request)}-parameterized`, extraMembers)
  const change = 'Register a parameterized job and dispatch that job'
  return send(request, 'POST', `${apiPrefix}/jobs`, { Job }, { change })
}

/** Suggests a read that needs no leader. */
const readStale: Corrector = ({ operation }) => {
  const path = operation?.path === '/jobs' ? '/jobs' : '/status/peers'
  return {
    change: `Send a read that needs no leader: GET ${apiPrefix}${path}?stale`,
    request: { method: 'GET', path: apiPrefix + path, query: { stale: '' } },
  }
}

/**
 * Suggests reading the existing management token, because bootstrapping is possible only once;
 * undefined if there is no management token.
 */
const readToken: Corrector = (request) =>
  managementHeaders(request) && send(request, 'GET', `${apiPrefix}/acl/token/self`)

/** Suggests a body whose members have the types that the operation declares. */
const fitBody: Corrector = (request) => {
  const { operation, body } = request
  // The cast is safe: only this API sets the operation of its requests.
  const { body: shape } = { ...(operation as SchedulerOperation | undefined) }
  if (shape === undefined) return isObject(body) ? undefined : { request: { body: () => ({}) } }
  if (isObject(body)) return { request: { body: (sent) => fitToShape(sent, shape) } }
  if (Object.hasOwn(shape.fields, 'Job')) return sendExampleJob(request)
  const known = Object.hasOwn(shape.fields, 'Name') ? { Name: 'example' } : {}
  return { request: { body: () => known } }
}

/** Suggests listing the objects of the kind in the path. */
const listObjects: Corrector = (request) => {
  const kind = kindsInPaths.find((each) => request.path.includes(`/${each}`)) ?? 'allocation'
  const path = `${apiPrefix}/${kind}s`
  return send(request, 'GET', path, undefined, { change: `Find the ID with GET ${path}` })
}

const kindsInPaths = ['node', 'evaluation', 'deployment', 'allocation', 'volume', 'plugin']

function withParameter(name: string, value: string): Corrector {
  return () => ({ change: `Send ?${name}=${value}`, request: { query: { [name]: value } } })
}

/** Corrections by the rule that the explanation of a refusal names. */
const corrections: Readonly<Record<string, Corrector>> = {
  'token-missing': withToken,
  'token-scheme-wrong': withToken,
  'token-is-accessor': withToken,
  'token-unknown': withToken,
  'token-expired': withToken,
  'token-revoked': withToken,
  'permission-denied': withManagementToken,
  'acls-disabled': () => null,
  'bootstrap-done': readToken,
  'job-not-found': registerMissingJob,
  'job-versions-not-found': registerMissingJob,
  'job-source-not-found': registerMissingJob,
  'scale-job-not-found': registerMissingJob,
  'evaluate-job-not-found': registerMissingJob,
  'launch-job-not-found': registerMissingJob,
  'revert-job-not-found': registerMissingJob,
  'dispatch-job-not-found': registerMissingJob,
  'job-missing': sendExampleJob,
  'job-invalid': sendExampleJob,
  'job-id-absent': sendExampleJob,
  'namespace-not-found': createNamespace,
  'deleted-namespace-not-found': createNamespace,
  'namespace-default': readObject,
  'namespace-in-use': stopRunningJob,
  'namespace-invalid': withMember('Name', labelFor),
  'namespace-name-missing': withMember('Name', labelFor),
  'scale-group-unknown': scaleGroup,
  'scale-group-unnamed': scaleGroup,
  'scale-count-negative': withMember('Count', () => 1),
  'dispatch-not-parameterized': registerParameterized,
  'launch-not-periodic': sendToJob('POST', 'evaluate', 'Evaluate it'),
  'revert-to-current': revertToOtherVersion,
  'no-leader': readStale,
  'variable-items-missing': withMember('Items', () => ({ key: 'value' })),
  'variable-not-found': (request) => {
    const { path = '' } = paramsOf(request, apiPrefix)
    return send(request, 'PUT', request.path, { Path: path, Items: { key: 'value' } })
  },
  'body-empty': fitBody,
  'body-mistyped': fitBody,
  'body-unreadable': fitBody,
  'restart-body-unreadable': fitBody,
  'signal-body-unreadable': fitBody,
  'lookup-failed': listObjects,
  'version-parameter-invalid': withParameter('version', '0'),
  'task-name-missing': withParameter('task', 'app'),
  'file-name-missing': withParameter('path', '/'),
  'job-spec-empty': withMember('JobHCL', () => 'job "example" {}'),
}

/**
 * Returns a function that corrects refused requests by their rules.
 *
 * @param header name of the request header for tokens
 */
export function correctionIn(header: string) {
  return correctionsByRule(header, corrections, withManagementToken)
}
