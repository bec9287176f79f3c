import type { JsonObject } from '../../../state/kernel/json.ts'
import {
  checkPodEnvironment,
  deleteOrchConfig,
  readOrchConfig,
  writeOrchConfig,
} from '../../../state/secrets/orch/config.ts'
import { createCredentials } from '../../../state/secrets/orch/creds.ts'
import {
  deleteOrchRole,
  findOrchRole,
  listOrchRoles,
  type OrchRole,
  readOrchRole,
  writeOrchRole,
} from '../../../state/secrets/orch/roles.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { empty, keys } from '../envelope/outcome.ts'
import { envelopeOf, keysEnvelope } from '../envelope/schemas.ts'
import { type Engine, operation } from '../operation.ts'
import { refuse } from '../texts.ts'
import {
  configData,
  configFields,
  credentialsData,
  credentialsFields,
  roleData,
  roleFields,
} from './orch-schemas.ts'

const spec = 'behaviour/secrets#api-orch'
const decided = 'behaviour/secrets#orch'

/** The engine that generates credentials of an orchestrator's service accounts. */
export const orchEngine: Engine = {
  type: 'orch',
  renamed: true,
  operations: [
    operation({
      id: 'orchReadConfig',
      verb: 'read',
      path: 'config',
      summary: 'Reads the configuration without its credentials.',
      spec,
      reply: { 200: envelopeOf(configData) },
      run: ({ world, mount }) => {
        const { disable_local_ca_jwt, orch_ca_cert, orch_host } = readOrchConfig(world, mount)
        return {
          kind: 'envelope',
          dataIn: (dialect) => dialect.fields({ disable_local_ca_jwt, orch_ca_cert, orch_host }),
        }
      },
    }),
    operation({
      id: 'orchWriteConfig',
      verb: 'write',
      path: 'config',
      summary: 'Configures how to reach the orchestrator; what is left out stays.',
      spec,
      secrets: { body: ['service_account_jwt'] },
      body: configFields,
      failures: [500],
      reply: { 204: null },
      run: ({ world, mount, fields }) => {
        writeOrchConfig(world, mount, fields)
        return empty
      },
    }),
    operation({
      id: 'orchDeleteConfig',
      verb: 'delete',
      path: 'config',
      summary: 'Deletes the configuration.',
      spec,
      reply: { 204: null },
      run: ({ world, mount }) => {
        deleteOrchConfig(world, mount)
        return empty
      },
    }),
    operation({
      id: 'orchListRoles',
      verb: 'list',
      path: 'roles',
      summary: 'Lists the names of the roles.',
      spec,
      reply: { 200: keysEnvelope },
      run: ({ world, mount }) => keys(listOrchRoles(world, mount)),
    }),
    operation({
      id: 'orchReadRole',
      verb: 'read',
      path: 'roles/:name',
      summary: 'Reads a role.',
      spec,
      reply: { 200: envelopeOf(roleData) },
      run: ({ world, mount, params }) => {
        const role = readOrchRole(world, mount, params.name)
        return { kind: 'envelope', dataIn: (dialect) => roleIn(dialect, role) }
      },
    }),
    operation({
      id: 'orchWriteRole',
      verb: 'write',
      path: 'roles/:name',
      summary: 'Makes a role or changes one; what is left out stays.',
      spec,
      exists: ({ world, mount, params }) => findOrchRole(world, mount, params.name) !== undefined,
      body: roleFields,
      reply: { 204: null },
      run: ({ world, mount, params, fields }) => {
        writeOrchRole(world, mount, params.name, fields)
        return empty
      },
    }),
    operation({
      id: 'orchDeleteRole',
      verb: 'delete',
      path: 'roles/:name',
      summary: 'Deletes a role; credentials made by it stay.',
      spec,
      reply: { 204: null },
      run: ({ world, mount, params }) => {
        deleteOrchRole(world, mount, params.name)
        return empty
      },
    }),
    operation({
      id: 'orchCreateCredentials',
      verb: 'write',
      path: 'creds/:role',
      summary: 'Generates credentials by a role, with a lease.',
      spec,
      secrets: { reply: ['data/service_account_token'] },
      body: credentialsFields,
      failures: [500, 502],
      reply: { 200: envelopeOf(credentialsData) },
      run: ({ world, mount, namespace, path, params, fields, token }) => {
        if (token === undefined) throw refuse('token-refused')
        const made = createCredentials(
          world,
          { mount, namespace, path, token },
          {
            role: params.role,
            orchNamespace: fields.orch_namespace ?? '',
            clusterRoleBinding: fields.cluster_role_binding,
            ttl: fields.ttl ?? 0,
            audiences: fields.audiences ?? [],
          },
        )
        const { id, renewable, ttl } = made.lease
        return {
          kind: 'envelope',
          lease: { id, renewable, duration: ttl },
          data: {
            service_account_name: made.account,
            service_account_namespace: made.namespace,
            service_account_token: made.token,
          },
          warnings: made.warnings,
        }
      },
    }),
    operation({
      id: 'orchCheckEnvironment',
      verb: 'read',
      path: 'check',
      summary: "Checks whether the pod's environment says where the orchestrator is.",
      spec: decided,
      reply: { 204: null },
      run: ({ world }) => {
        checkPodEnvironment(world)
        return empty
      },
    }),
  ],
}

/** A role as it is read; the vendor's newer releases tell more (behaviour/secrets#orch-roles). */
function roleIn(dialect: SecretsDialect, role: OrchRole): object {
  const { extra_labels, extra_annotations, token_default_audiences } = role
  const more: JsonObject = {
    allowed_orch_namespace_selector: role.allowed_orch_namespace_selector,
    extra_annotations: extra_annotations && { ...extra_annotations },
    extra_labels: extra_labels && { ...extra_labels },
    token_default_audiences: token_default_audiences && [...token_default_audiences],
  }
  return dialect.fields({
    additional_metadata: {
      ...(isFilled(extra_labels) ? { labels: { ...extra_labels } } : {}),
      ...(isFilled(extra_annotations) ? { annotations: { ...extra_annotations } } : {}),
    },
    allowed_orch_namespaces: [...role.allowed_orch_namespaces],
    generated_role_rules: role.generated_role_rules,
    name: role.name,
    name_template: role.name_template,
    orch_role_name: role.orch_role_name,
    orch_role_type: role.orch_role_type,
    service_account_name: role.service_account_name,
    token_default_ttl: role.token_default_ttl,
    token_max_ttl: role.token_max_ttl,
    ...(dialect.referenceBodies ? more : {}),
  })
}

function isFilled(tags: OrchRole['extra_labels']): boolean {
  return tags !== null && Object.keys(tags).length > 0
}
