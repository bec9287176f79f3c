/** Public API for embedding programs (behaviour/program#embedding). */

export type { Choice } from '../../routes/control/choices.ts'
export type { ClockRequest, ClockView, Due } from '../../routes/control/clock/clock-shapes.ts'
export type {
  Timings as Paces,
  TransitionView,
} from '../../routes/control/clock/transition-control.ts'
export type { Coverage, ServiceCoverage } from '../../routes/control/coverage.ts'
export { DocumentError } from '../../routes/control/state/documents.ts'
export type { SnapshotView } from '../../routes/control/state/state-shapes.ts'
export type { SnapshotDiff } from '../../routes/control/state/world-content.ts'
export type { ResetWhat } from '../../routes/control/worlds/world-shapes.ts'
export type { EventType, WorldEvent } from '../../routes/events/hub.ts'
export type { CoveredOperation } from '../../routes/http/declare/coverage.ts'
export type { DialectName } from '../../routes/http/declare/dialect.ts'
export { InputError } from '../../routes/http/declare/validate.ts'
export type { SentMessage } from '../../routes/platform/control/platform-control.ts'
export type { Report } from '../../routes/report/report-shapes.ts'
export type { Json, JsonObject } from '../../state/kernel/json.ts'
export { Refusal, type RefusalKind } from '../../state/kernel/refusal.ts'
export type { RowDifference } from '../../state/kernel/store/diff.ts'
export type { Timing as Pace, TransitionItem } from '../../state/kernel/time/transitions.ts'
export type { ApiToken } from '../../state/platform/accounts/tokens.ts'
export type { User } from '../../state/platform/accounts/users.ts'
export type { ConfigurationVersion } from '../../state/platform/configuration-versions/configuration-versions.ts'
export type {
  ModuleFixture,
  OrganizationFixture,
  PlatformFixtures,
  TeamFixture,
  UserFixture,
  VariableFixture,
} from '../../state/platform/fixtures.ts'
export type { Module } from '../../state/platform/modules/modules.ts'
export type { OauthClient } from '../../state/platform/modules/oauth-clients.ts'
export type { PlatformOptions } from '../../state/platform/options.ts'
export type { Organization } from '../../state/platform/organizations/organizations.ts'
export type { Team } from '../../state/platform/organizations/teams.ts'
export type { RunOutcomeRule } from '../../state/platform/runs/outcome-rules.ts'
export type { PlatformInfo } from '../../state/platform/service.ts'
export type { OutboxMessage } from '../../state/platform/settings/outbox.ts'
export type { TestRun } from '../../state/platform/test-runs/test-runs.ts'
export type { Variable } from '../../state/platform/variables/variables.ts'
export type { AclPolicy, AclToken } from '../../state/scheduler/acl/tables.ts'
export type {
  Allocation,
  TaskEvent,
  TaskState,
} from '../../state/scheduler/cluster/model/allocation-shapes.ts'
export type { Node, NodePool } from '../../state/scheduler/cluster/model/node-shapes.ts'
export type {
  Deployment,
  Evaluation,
} from '../../state/scheduler/cluster/model/placement-shapes.ts'
export type { OutcomeRule } from '../../state/scheduler/cluster/model/task-outcomes.ts'
export type { NodeSettings } from '../../state/scheduler/cluster/nodes/nodes.ts'
export type { SchedulerFixtures } from '../../state/scheduler/fixtures.ts'
export type { Job, TaskGroup } from '../../state/scheduler/job/job-shape.ts'
export type { Task } from '../../state/scheduler/job/task-shape.ts'
export type { Namespace as JobNamespace } from '../../state/scheduler/namespaces.ts'
export type { SchedulerOptions } from '../../state/scheduler/options.ts'
export type { JobSummary, ScalingEvents, Submission } from '../../state/scheduler/records/shapes.ts'
export type { SchedulerInfo } from '../../state/scheduler/service.ts'
export type {
  CloudIdentities,
  CloudInstanceForm,
  CloudKeyView,
  CloudUserForm,
  CloudView,
} from '../../state/secrets/cloud/identities.ts'
export type { CloudLoginBody, CloudLoginRequest } from '../../state/secrets/cloud/login-body.ts'
export type {
  CloudInstance,
  CloudTenancy,
  CloudUser,
} from '../../state/secrets/cloud/principals.ts'
export type { CloudRole } from '../../state/secrets/cloud/roles.ts'
export type { DatabaseConfig } from '../../state/secrets/database/configs.ts'
export type { DatabaseRole } from '../../state/secrets/database/roles.ts'
export type { DatabaseUser, SimulatedDatabase } from '../../state/secrets/database/simulated.ts'
export type { StaticRole } from '../../state/secrets/database/static-roles.ts'
export type { DatabaseView } from '../../state/secrets/database/view.ts'
export type { SecretsFixtures } from '../../state/secrets/fixtures.ts'
export type { CubbyholeEntry } from '../../state/secrets/kv/cubbyhole.ts'
export type { PlainSecret } from '../../state/secrets/kv/v1.ts'
export type { CustomMetadata } from '../../state/secrets/kv/v2-metadata.ts'
export type {
  EngineConfig,
  KeySettings,
  Version,
  VersionData,
  VersionedKey,
} from '../../state/secrets/kv/v2-store.ts'
export type { Lease } from '../../state/secrets/leases/leases.ts'
export type { Mount, MountConfig } from '../../state/secrets/mounts/mounts.ts'
export type { Migration } from '../../state/secrets/mounts/remount.ts'
export type { Namespace } from '../../state/secrets/namespaces/namespaces.ts'
export type { SecretsOptions } from '../../state/secrets/options.ts'
export type { AccountToken, AccountTokenRequest } from '../../state/secrets/orch/account-tokens.ts'
export type { OrchObject } from '../../state/secrets/orch/orchestrator.ts'
export type { OrchConfig, OrchRole } from '../../state/secrets/orch/roles.ts'
export type { OrchPublicKey } from '../../state/secrets/orch/tokens.ts'
export type { OrchestratorView } from '../../state/secrets/orch/view.ts'
export type { PasswordPolicy } from '../../state/secrets/passwords/policies.ts'
export type { PkiCrl } from '../../state/secrets/pki/crl.ts'
export type { PkiCrlConfig } from '../../state/secrets/pki/crl-config.ts'
export type { PkiRole } from '../../state/secrets/pki/roles.ts'
export type { PkiCertificate, PkiIssuer, PkiKey } from '../../state/secrets/pki/tables.ts'
export type { Policy } from '../../state/secrets/policies/policies.ts'
export type { Capability } from '../../state/secrets/policies/rules.ts'
export type { RekeyBackup } from '../../state/secrets/rekey/backup.ts'
export type { RekeyStatus } from '../../state/secrets/rekey/rekey.ts'
export type { RekeyAttempt } from '../../state/secrets/rekey/rekey-machine.ts'
export type { VerificationStatus } from '../../state/secrets/rekey/verification.ts'
export type { GenerationStatus } from '../../state/secrets/replication/operation-token-attempts.ts'
export type { OperationTokenAttempt } from '../../state/secrets/replication/operation-tokens.ts'
export type { Health, HealthCondition } from '../../state/secrets/seal/health.ts'
export type { KeyStatus } from '../../state/secrets/seal/keyring.ts'
export type { Leadership } from '../../state/secrets/seal/node.ts'
export type { NodeState } from '../../state/secrets/seal/node-machine.ts'
export type { SealStatus } from '../../state/secrets/seal/unseal.ts'
export type { SecretsInfo } from '../../state/secrets/service.ts'
export type { TokenRole } from '../../state/secrets/tokens/roles.ts'
export type { Token } from '../../state/secrets/tokens/rows.ts'
export type { TransitKey } from '../../state/secrets/transit/keys.ts'
export type { ApiName } from '../api-names.ts'
export type { PresetName } from '../preset-names.ts'
export type { LogOptions } from '../server/log.ts'
export type { TlsMaterial } from '../server/tls.ts'
export type { ClockOption, EmbeddedClock } from './clock-option.ts'
export type { EmbeddedApp, WorldReply, WorldRequest } from './embedded-app.ts'
export type {
  EmbeddedFaults,
  EmbeddedWorld,
  EmbeddedWorld as World,
  NewEmbeddedWorld,
} from './embedded-world.ts'
export { createUnderstudy, type Understudy } from './understudy.ts'
export type { UnderstudyOptions } from './understudy-options.ts'
export type {
  AllWorldOptions,
  Fixtures,
  MeshTables,
  PlatformTables,
  SchedulerTables,
  SecretsTables,
  UnderstudyInfo,
  WorldOptions,
  WorldState,
} from './world-types.ts'
