-- The second wall, as for every table of a tenant.
ALTER TABLE gateway_authorizations ENABLE ROW LEVEL SECURITY;
ALTER TABLE gateway_authorizations FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON gateway_authorizations USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
ALTER TABLE gateway_authorization_flows ENABLE ROW LEVEL SECURITY;
ALTER TABLE gateway_authorization_flows FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON gateway_authorization_flows
    USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
