import {
  bool,
  exactDuration,
  exactInt,
  goList,
  goMap,
  nullable,
  text,
} from '../../kernel/shape/kinds.ts'
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
  Limit: goValue(exactInt),
  Grace: exactDuration,
  IgnoreWarnings: goValue(bool),
})

export const checkShape = struct('ServiceCheck', {
  Name: goValue(text),
  Type: goValue(text),
  Command: goValue(text),
  Args: goList(text),
  Path: goValue(text),
  Protocol: goValue(text),
  PortLabel: goValue(inFile('port', text)),
  Interval: goValue(exactDuration),
  Timeout: goValue(exactDuration),
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
  SuccessBeforePassing: filledIn(goValue(exactInt)),
  FailuresBeforeCritical: filledIn(goValue(exactInt)),
  FailuresBeforeWarning: filledIn(goValue(exactInt)),
  OnUpdate: filledIn(goValue(text)),
  Notes: filledIn(goValue(text)),
})
export type Check = StoredOf<typeof checkShape>
export type InputCheck = ParsedOf<typeof checkShape>

/** A signed token that proves the identity of a task or service. */
export const identityShape = lenientStruct('WorkloadIdentity', {
  Name: goValue(identityName),
  Audience: inFile('aud', goList(audienceName)),
  ChangeMode: goValue(text),
  ChangeSignal: goValue(text),
  Env: goValue(bool),
  File: goValue(bool),
  Filepath: goValue(text),
  ServiceName: goValue(text),
  TTL: goValue(exactDuration),
})
export type Identity = StoredOf<typeof identityShape>

/**
 * Weights with which the mesh selects instances of the service: one for instances whose checks
 * pass, and one for instances whose checks warn.
 */
export const weightsShape = struct('ServiceWeights', {
  Passing: filledIn(goValue(exactInt), 1),
  Warning: filledIn(goValue(exactInt), 1),
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
