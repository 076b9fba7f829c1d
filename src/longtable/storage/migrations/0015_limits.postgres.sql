-- The second wall, as for every table of a tenant.
ALTER TABLE tenant_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tenant_usage USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
