import { renderMessage } from '../../../../state/kernel/message.ts'
import {
  type AdmissionContext,
  validationErrors,
} from '../../../../state/scheduler/validation/admission.ts'
import { exampleJob, type Members, registeredJob } from '../job/sample-job.ts'
import { multiError } from '../support.ts'

/** Cluster in which everything exists, and in which a job may have 50,000 allocations. */
export const openCluster: AdmissionContext = {
  findNamespace: (Name) => ({
    Name,
    Description: '',
    Quota: '',
    Capabilities: null,
    Meta: null,
    CreateIndex: 1,
    ModifyIndex: 1,
  }),
  nodePoolExists: () => true,
  secretsEnabled: true,
  maxCount: 50_000,
}

/** Returns the errors of registering a job. */
export function errorsOf(
  members: Members,
  facts: AdmissionContext = openCluster,
): readonly string[] {
  return validationErrors(registeredJob(members), facts).map((error) => renderMessage(error))
}

/** Returns the errors of a job whose group `web` has the given members. */
export function groupErrorsOf(group: Members, job: Members = {}): readonly string[] {
  return errorsOf(exampleJob({ group, job }))
}

/** Returns the errors of a job whose task `t` has the given members. */
export function taskErrorsOf(
  task: Members,
  group: Members = {},
  job: Members = {},
): readonly string[] {
  return errorsOf(exampleJob({ task, group, job }))
}

/** Returns the error of a job whose group `web` has these errors. */
export function inGroup(...errors: readonly string[]): readonly string[] {
  return [`Task group web validation failed: ${multiError(errors)}`]
}

/** Returns the error of a job whose task `t` has these errors. */
export function inTask(...errors: readonly string[]): readonly string[] {
  return inGroup(`Task t validation failed: ${multiError(errors)}`)
}
