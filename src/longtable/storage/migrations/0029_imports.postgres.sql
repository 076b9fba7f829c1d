-- The second wall, as for every table of a tenant.
ALTER TABLE imported_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE imported_records FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON imported_records USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
