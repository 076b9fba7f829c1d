-- The second wall, as for every table of a tenant.
ALTER TABLE call_details ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_details FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON call_details USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
ALTER TABLE call_definitions ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_definitions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON call_definitions USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
