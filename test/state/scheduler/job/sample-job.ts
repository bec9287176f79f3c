import type { Json } from '../../../../state/kernel/json.ts'
import { decodeValue } from '../../../../state/scheduler/decoding.ts'
import { type JobContext, storedJob } from '../../../../state/scheduler/job/canonical.ts'
import { type InputJob, type Job, jobShape } from '../../../../state/scheduler/job/job-shape.ts'

/** Members of a JSON object. */
export type Members = { readonly [name: string]: Json }

/** Returns a job as a client sends it. Missing members are null. */
export function sentJob(members: Members): InputJob {
  return decodeValue({ ...members }, jobShape)
}

/** Returns the context of a server that gives scaling policies the IDs `id-1`, `id-2` and so on. */
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

/** Returns a job as the server stores it. */
export function registeredJob(members: Members): Job {
  return storedJob(sentJob(members), serverContext())
}

/** Returns a service job `example` with a group `web` and a task `t`, each with further members. */
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

/** Returns a reference in the syntax of jobs: a dollar sign and the name in braces. */
export function reference(name: string): string {
  return `\${${name}}`
}

/** Default members of a stored group service, without its name and checks. */
export const serviceDefaults = {
  PortLabel: '',
  Tags: null,
  Checks: null,
  CanaryTags: null,
  AddressMode: 'auto',
  Address: '',
  EnableTagOverride: false,
  Provider: 'mesh',
  Meta: null,
  CanaryMeta: null,
  TaggedAddresses: null,
  Connect: null,
  OnUpdate: 'require_healthy',
  TaskName: '',
  Namespace: 'default',
  Cluster: 'default',
  Identity: null,
  Weights: null,
}

/** Default members of a stored check of a group service, without its name. */
export const checkDefaults = {
  Type: '',
  Command: '',
  Args: null,
  Path: '',
  Protocol: '',
  PortLabel: '',
  Interval: 0,
  Timeout: 0,
  InitialStatus: '',
  AddressMode: '',
  Expose: false,
  TLSSkipVerify: false,
  TLSServerName: '',
  Header: null,
  Method: '',
  Body: '',
  CheckRestart: null,
  GRPCService: '',
  GRPCUseTLS: false,
  TaskName: '',
  SuccessBeforePassing: 0,
  FailuresBeforeCritical: 0,
  FailuresBeforeWarning: 0,
  OnUpdate: 'require_healthy',
  Notes: '',
}

/** Default members of stored resources. */
export const resourceDefaults = {
  CPU: 100,
  MemoryMB: 300,
  DiskMB: 0,
  IOPS: 0,
  Devices: null,
  Networks: null,
  Cores: 0,
  MemoryMaxMB: 0,
  SecretsMB: 0,
  NUMA: null,
}

/** Identity of every task. */
export const taskIdentity = {
  Name: 'default',
  Audience: ['schedproject.io'],
  ChangeMode: '',
  ChangeSignal: '',
  Env: false,
  File: false,
  Filepath: '',
  ServiceName: '',
  TTL: 0,
}
