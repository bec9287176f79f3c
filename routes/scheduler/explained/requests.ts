import { renderMessage } from '../../../state/kernel/message.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'

/** Explains that the job has another index than the request expects. */
export function explainIndexConflict({
  refusal,
  rule,
  query,
}: ExplainedRequest): Diagnosis | undefined {
  const { index, current } = { index: '', current: '', ...refusal?.params }
  const spec = 'behaviour/scheduler#jobs'
  if (rule === 'index-job-absent') {
    return {
      because: `JobModifyIndex ${index} is enforced, but there is no such job: only 0 makes a new one`,
      change: 'Send JobModifyIndex 0',
      request: { body: (body) => ({ ...Object(body), JobModifyIndex: 0 }) },
      spec,
    }
  }
  if (rule === 'index-job-exists') {
    return {
      because: 'JobModifyIndex 0 is enforced, which is for new jobs, but the job is there already',
      change: 'Send the JobModifyIndex that the job has, or leave EnforceIndex out',
      request: { body: (body) => ({ ...Object(body), EnforceIndex: false }) },
      spec,
    }
  }
  if (current === '' || query['cas'] !== undefined) return undefined
  return {
    because: `JobModifyIndex ${index} is enforced, but the job is at ${current}`,
    change: `Send JobModifyIndex ${current}`,
    request: { body: (body) => ({ ...Object(body), JobModifyIndex: Number(current) }) },
    spec,
  }
}

/** Explains that the body has no job, or is itself the job. */
export function explainMissingJob({ body }: ExplainedRequest): Diagnosis {
  const isJob = typeof body === 'object' && body !== null && ('ID' in body || 'TaskGroups' in body)
  const spec = 'behaviour/scheduler#jobs'
  if (!isJob) {
    return {
      because: 'the body has no member "Job"',
      change: 'Send {"Job": {…}}',
      spec,
    }
  }
  return {
    because: 'the job stands at the top of the body; it belongs into its member "Job"',
    change: 'Send {"Job": {…}} around it',
    request: { body: (body) => ({ Job: body }) },
    spec,
  }
}

/** Explains that the body and the path name different jobs. */
export function explainJobMismatch({ body, path }: ExplainedRequest): Diagnosis {
  const job = Object(Object(body)['Job'])
  const id = job['ID'] ?? Object(body)['JobID']
  const pathId = decodeURIComponent(path.split('/')[3] ?? '')
  const hasJobMember = Object(body)['Job'] !== undefined
  return {
    because: `the path names the job ${pathId}, the body ${JSON.stringify(id ?? null)}`,
    change: `Send ${pathId} in the body too`,
    request: {
      body: (body) =>
        hasJobMember
          ? { ...Object(body), Job: { ...Object(Object(body)['Job']), ID: pathId } }
          : { ...Object(body), JobID: pathId },
    },
    spec: 'behaviour/scheduler#jobs',
  }
}

/** Explains that there is only one region. */
export function explainRegion({ world, query }: ExplainedRequest): Diagnosis {
  const { region } = optionsOf(world)
  return {
    because: `the region ${[query['region']].flat()[0]} is asked for; the only one here is ${region}`,
    change: `Send ?region=${region}, or none`,
    request: { query: { region: undefined } },
    spec: 'behaviour/scheduler#conventions',
  }
}

/** Explains that the cluster has no leader. */
export function explainNoLeader({ method }: ExplainedRequest): Diagnosis {
  return {
    because: 'the cluster has no leader (option noLeader), and only a leader answers this',
    change:
      method === 'GET' ? 'Send ?stale, or wait for a leader' : 'Wait for a leader: unset noLeader',
    ...(method === 'GET' ? { request: { query: { stale: '' } } } : {}),
    spec: 'behaviour/scheduler#agent',
  }
}

/** Explains that ACLs are disabled. */
export function explainAclsOff(): Diagnosis {
  return {
    because: 'the ACL system is off, so that its paths are refused',
    change: 'Start with --acl, or set the option scheduler.aclEnabled',
    spec: 'behaviour/scheduler#beyond',
  }
}

/** Explains that the ACL system is already bootstrapped. */
export function explainBootstrapped({ refusal }: ExplainedRequest): Diagnosis {
  return {
    because: `the ACL system is bootstrapped already, and that is done once (reset index ${refusal?.params['index'] ?? ''})`,
    change: 'Use the management token that there is',
    spec: 'behaviour/scheduler#beyond',
  }
}

/** Explains that the body is missing, not JSON, or has a value of the wrong type. */
export function explainBody({ rule, refusal, body }: ExplainedRequest): Diagnosis | undefined {
  const spec = 'behaviour/scheduler#bodies'
  if (rule === 'body-empty') {
    return { because: 'the request has no body', change: 'Send JSON', spec }
  }
  if (refusal === undefined) return undefined
  if (rule === 'body-mistyped') {
    const { value, type } = refusal.params
    return {
      because: `${renderMessage(refusal.reason)}: the body has a ${value} where ${type} belongs`,
      change: `Send a value of the type ${type}`,
      spec,
    }
  }
  if (typeof body !== 'string') return undefined
  return {
    rule: 'body-unreadable',
    because: `the body is no JSON: ${renderMessage(refusal.reason)}`,
    change: 'Send JSON',
    spec,
  }
}
