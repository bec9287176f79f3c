import { bool, duration, goList, goMap, int, nullable, text } from '../../kernel/shape/kinds.ts'
import {
  filledIn,
  goValue,
  inFile,
  inputOnly,
  lenientStruct,
  notInFile,
  outputOnly,
  struct,
} from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { audienceName, identityName, serviceProvider } from '../vendor-names.ts'
import { connectShape } from './connect-shapes.ts'

/** Conditions under which a failing check restarts its task. */
export const checkRestartShape = struct('CheckRestart', {
  Limit: goValue(int),
  Grace: duration,
  IgnoreWarnings: goValue(bool),
})

/** A check of a service (behaviour/scheduler#api-job). */
export const checkShape = struct('ServiceCheck', {
  Name: goValue(text),
  Type: goValue(text),
  Command: goValue(text),
  Args: goList(text),
  Path: goValue(text),
  Protocol: goValue(text),
  PortLabel: goValue(inFile('port', text)),
  Interval: goValue(duration),
  Timeout: goValue(duration),
  InitialStatus: goValue(text),
  AddressMode: filledIn(goValue(text)),
  Advertise: inputOnly(goValue(text)),
  Expose: filledIn(goValue(bool)),
  TLSSkipVerify: filledIn(goValue(bool)),
  TLSServerName: filledIn(goValue(text)),
  Header: filledIn(goMap(goList(text))),
  Method: filledIn(goValue(text)),
  Body: filledIn(goValue(text)),
  CheckRestart: filledIn(nullable(checkRestartShape)),
  GRPCService: filledIn(goValue(text)),
  GRPCUseTLS: filledIn(goValue(bool)),
  TaskName: inFile('task', filledIn(goValue(text))),
  SuccessBeforePassing: filledIn(goValue(int)),
  FailuresBeforeCritical: filledIn(goValue(int)),
  FailuresBeforeWarning: filledIn(goValue(int)),
  OnUpdate: filledIn(goValue(text)),
  Notes: filledIn(goValue(text)),
})
export type Check = StoredOf<typeof checkShape>
export type InputCheck = ParsedOf<typeof checkShape>

/** A token with which a task or service identifies itself. */
export const identityShape = lenientStruct('WorkloadIdentity', {
  Name: goValue(identityName),
  Audience: inFile('aud', goList(audienceName)),
  ChangeMode: goValue(text),
  ChangeSignal: goValue(text),
  Env: goValue(bool),
  File: goValue(bool),
  Filepath: goValue(text),
  ServiceName: goValue(text),
  TTL: goValue(duration),
})
export type Identity = StoredOf<typeof identityShape>

/** Weights that determine how often an instance of a service is chosen. */
export const weightsShape = struct('ServiceWeights', {
  Passing: filledIn(goValue(int), 1),
  Warning: filledIn(goValue(int), 1),
})

/** A service that a group or task offers. */
export const serviceShape = struct('Service', {
  Name: goValue(text),
  PortLabel: goValue(inFile('port', text)),
  Tags: goList(text),
  Checks: goList(checkShape),
  CanaryTags: filledIn(goList(text)),
  AddressMode: filledIn(goValue(text), 'auto'),
  Address: filledIn(goValue(text)),
  EnableTagOverride: filledIn(goValue(bool)),
  Provider: filledIn(goValue(serviceProvider), 'mesh'),
  Meta: filledIn(goMap(text)),
  CanaryMeta: filledIn(goMap(text)),
  TaggedAddresses: filledIn(goMap(text)),
  CheckRestart: inputOnly(nullable(checkRestartShape)),
  Connect: filledIn(nullable(connectShape)),
  OnUpdate: filledIn(goValue(text), 'require_healthy'),
  TaskName: inFile('task', filledIn(goValue(text))),
  Namespace: outputOnly(notInFile(filledIn(text))),
  Cluster: filledIn(goValue(text), 'default'),
  Identity: filledIn(nullable(identityShape)),
  Weights: filledIn(nullable(weightsShape)),
})
export type Service = StoredOf<typeof serviceShape>
export type InputService = ParsedOf<typeof serviceShape>
