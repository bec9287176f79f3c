import {
  any,
  bool,
  duration,
  echoed,
  int,
  list,
  map,
  pointer,
  type Sent,
  type Stored,
  struct,
  text,
} from '../shape/kinds.ts'

/** When a failing check restarts its task. */
export const checkRestartShape = struct('CheckRestart', {
  Limit: int,
  Grace: duration,
  IgnoreWarnings: bool,
})

/** A check of a service (3-mesh-and-scheduler.md, Resources B). */
export const checkShape = struct('ServiceCheck', {
  Name: text,
  Type: text,
  Command: text,
  Args: list(text),
  Path: text,
  Protocol: text,
  PortLabel: text,
  Interval: duration,
  Timeout: duration,
  InitialStatus: text,
  AddressMode: echoed(text),
  Advertise: echoed(text),
  Expose: echoed(bool),
  TLSSkipVerify: echoed(bool),
  TLSServerName: echoed(text),
  Header: echoed(map(list(text))),
  Method: echoed(text),
  Body: echoed(text),
  CheckRestart: echoed(pointer(checkRestartShape)),
  GRPCService: echoed(text),
  GRPCUseTLS: echoed(bool),
  TaskName: echoed(text),
  SuccessBeforePassing: echoed(int),
  FailuresBeforeCritical: echoed(int),
  FailuresBeforeWarning: echoed(int),
  OnUpdate: echoed(text),
  Notes: echoed(text),
})
export type Check = Stored<typeof checkShape>
export type SentCheck = Sent<typeof checkShape>

/** A service that a group or task offers. */
export const serviceShape = struct('Service', {
  Name: text,
  PortLabel: text,
  Tags: list(text),
  Checks: list(checkShape),
  CanaryTags: echoed(list(text)),
  AddressMode: echoed(text),
  Address: echoed(text),
  EnableTagOverride: echoed(bool),
  Provider: echoed(text),
  Meta: echoed(map(text)),
  CanaryMeta: echoed(map(text)),
  TaggedAddresses: echoed(map(text)),
  CheckRestart: echoed(pointer(checkRestartShape)),
  Connect: echoed(any),
  OnUpdate: echoed(text),
  TaskName: echoed(text),
  Namespace: echoed(text),
  Cluster: echoed(text),
  Identity: echoed(any),
  Weights: echoed(any),
  Kind: echoed(text),
})
export type Service = Stored<typeof serviceShape>
export type SentService = Sent<typeof serviceShape>
