import { renderMessage } from '../../../../state/kernel/message.ts'
import {
  type AdmissionContext,
  validationErrors,
} from '../../../../state/scheduler/validation/admission.ts'
import { exampleJob, type Members, registeredJob } from '../job/sample-job.ts'
import { multiError } from '../support.ts'

/** A cluster in which everything exists and 50,000 allocations may be asked for. */
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

/** Errors of a job, as registering it finds them. */
export function errorsOf(
  members: Members,
  facts: AdmissionContext = openCluster,
): readonly string[] {
  return validationErrors(registeredJob(members), facts).map((error) => renderMessage(error))
}

/** Errors of a group `web` with some further members, in a job with some. */
export function groupErrorsOf(group: Members, job: Members = {}): readonly string[] {
  return errorsOf(exampleJob({ group, job }))
}

/** Errors of a task `t` of that group. */
export function taskErrorsOf(
  task: Members,
  group: Members = {},
  job: Members = {},
): readonly string[] {
  return errorsOf(exampleJob({ task, group, job }))
}

/** The one error of a job whose group `web` has some. */
export function inGroup(...errors: readonly string[]): readonly string[] {
  return [`Task group web validation failed: ${multiError(errors)}`]
}

/** The one error of a job whose task `t` has some. */
export function inTask(...errors: readonly string[]): readonly string[] {
  return inGroup(`Task t validation failed: ${multiError(errors)}`)
}
