import type { Json } from '../../../../state/kernel/json.ts'
import { decodeValue } from '../../../../state/scheduler/decoding.ts'
import { type JobContext, storedJob } from '../../../../state/scheduler/job/canonical.ts'
import { type InputJob, type Job, jobShape } from '../../../../state/scheduler/job/job-shape.ts'

/** Members of a JSON object. */
export type Members = { readonly [name: string]: Json }

/** A job as a client sends it: what it does not say is null. */
export function sentJob(members: Members): InputJob {
  return decodeValue({ ...members }, jobShape)
}

/** A server that gives scaling policies the IDs `id-1`, `id-2` and so on. */
export function serverContext(namespace = 'default'): JobContext {
  let count = 0
  return {
    namespace,
    uuid() {
      count += 1
      return `id-${count}`
    },
  }
}

/** A job as the server stores it. */
export function registeredJob(members: Members): Job {
  return storedJob(sentJob(members), serverContext())
}

/** A service job `example` with one group `web` of one task `t`, each with further members. */
export function exampleJob({
  job = {},
  group = {},
  task = {},
}: {
  readonly job?: Members
  readonly group?: Members
  readonly task?: Members
}): Members {
  return {
    ID: 'example',
    TaskGroups: [{ Name: 'web', Tasks: [{ Name: 't', Driver: 'docker', ...task }], ...group }],
    ...job,
  }
}

/** A reference as job specifications write it: a dollar sign and the name in braces. */
export function reference(name: string): string {
  return `\${${name}}`
}
