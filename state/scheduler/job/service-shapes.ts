import {
  any,
  bool,
  duration,
  goList,
  goMap,
  int,
  nullable,
  text,
} from '../../kernel/shape/kinds.ts'
import { inFile, notInFile, notNullInFile, optional, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { serviceProvider } from '../vendor-names.ts'
import { connectShape, weightsShape } from './retained-shapes.ts'

/** When a failing check restarts its task. */
export const checkRestartShape = struct('CheckRestart', {
  Limit: notNullInFile(int),
  Grace: duration,
  IgnoreWarnings: notNullInFile(bool),
})

/** A check of a service (behaviour/scheduler#api-job). */
export const checkShape = struct('ServiceCheck', {
  Name: text,
  Type: text,
  Command: text,
  Args: goList(text),
  Path: text,
  Protocol: text,
  PortLabel: inFile('port', text),
  Interval: duration,
  Timeout: duration,
  InitialStatus: text,
  AddressMode: optional(text),
  Advertise: optional(text),
  Expose: optional(bool),
  TLSSkipVerify: optional(bool),
  TLSServerName: optional(text),
  Header: optional(goMap(goList(text))),
  Method: optional(text),
  Body: optional(text),
  CheckRestart: optional(nullable(checkRestartShape)),
  GRPCService: optional(text),
  GRPCUseTLS: optional(bool),
  TaskName: inFile('task', optional(text)),
  SuccessBeforePassing: optional(int),
  FailuresBeforeCritical: optional(int),
  FailuresBeforeWarning: optional(int),
  OnUpdate: optional(text),
  Notes: optional(text),
})
export type Check = StoredOf<typeof checkShape>
export type InputCheck = ParsedOf<typeof checkShape>

/** A service that a group or task offers. */
export const serviceShape = struct('Service', {
  Name: text,
  PortLabel: inFile('port', text),
  Tags: goList(text),
  Checks: goList(checkShape),
  CanaryTags: optional(goList(text)),
  AddressMode: optional(text),
  Address: optional(text),
  EnableTagOverride: optional(bool),
  Provider: optional(serviceProvider),
  Meta: optional(goMap(text)),
  CanaryMeta: optional(goMap(text)),
  TaggedAddresses: optional(goMap(text)),
  CheckRestart: optional(nullable(checkRestartShape)),
  Connect: optional(connectShape),
  OnUpdate: optional(text),
  TaskName: inFile('task', optional(text)),
  Namespace: notInFile(optional(text)),
  Cluster: optional(text),
  Identity: optional(any),
  Weights: optional(weightsShape),
})
export type Service = StoredOf<typeof serviceShape>
export type InputService = ParsedOf<typeof serviceShape>
