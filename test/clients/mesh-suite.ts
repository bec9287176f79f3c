/** Tests of the mesh client's own suite that are not run, by the reason. */
const skipped = {
  'needs a second server or datacenter': [
    ...['AgentLeave', 'AgentMembersOpts', 'OperatorRaftLeaderTransfer', 'OperatorRaftRemovePeer.*'],
  ],
  'needs files beside the module': ['SetupTLSConfig', 'ClientTLSOptions'],
  'needs a part that this server does not have': [
    ...['Debug.*', 'Internal_.*', 'OperatorKeyring.*', 'Peering_.*', 'RawV2.*', 'UnixSocket'],
    ...['AgentConnectCALeaf', 'ConnectCAConfig_get_set', 'CoordinateDatacenters'],
    ...['AgentConnectCARoots_empty', 'ConnectCARoots_empty'],
  ],
  'needs a feature of a later release': [
    ...[
      'AgentServices_MultiPort',
      'AgentReload_MultiPort',
      'ClientTxnWrite',
      'ConfigEntries_APIGateway',
    ],
  ],
  'expects the hash of the product': ['AgentService', 'DiscoveryChain_Get'],
  'expects the name of this machine': ['AgentMetrics'],
} as const

/** Pattern for `go test -skip`. */
export const meshSuiteSkipped = `^TestAPI_(${Object.values(skipped).flat().join('|')})$`
